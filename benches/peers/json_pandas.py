"""json.load, then pandas to Parquet: nodes, edges and strings as they stand; neither owners of edges nor names."""

import json
import sys

import numpy as np
import pandas as pd

file, out = sys.argv[1:]
with open(file, encoding="utf-8", errors="surrogatepass") as text:
    heap = json.load(text)
meta = heap["snapshot"]["meta"]
for section, fields in ("nodes", meta["node_fields"]), ("edges", meta["edge_fields"]):
    table = np.array(heap[section], dtype=np.int64).reshape(-1, len(fields))
    pd.DataFrame(table, columns=fields).to_parquet(f"{out}-{section}.parquet")
pd.DataFrame({"string": heap["strings"]}).to_parquet(f"{out}-strings.parquet")
