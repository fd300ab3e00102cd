"""Writes a heap snapshot that is nearly all text: strings of 1.4 kB that differ, each with a node of its own.

python benches/strings.py OUT.heapsnapshot COUNT

150,000 strings make 216 MB, 3,000,000 make 4.3 GB.
"""

import random
import sys

FIELDS = """"node_fields":["type","name","id","self_size","edge_count"],
"node_types":[["synthetic","object","string"],"string","number","number","number"],
"edge_fields":["type","name_or_index","to_node"],"edge_types":[["element"],"string_or_number","node"]"""


def write(path, count):
    bits = random.Random(1)
    with open(path, "w") as out:
        out.write(f'{{"snapshot":{{"meta":{{{FIELDS}}},"node_count":{count + 2},"edge_count":{count + 1}}},\n')
        out.write(f'"nodes":[0,0,1,0,1,1,1,3,16,{count}')
        out.writelines(f",2,{n + 2},{2 * n + 5},1400,0" for n in range(count))
        out.write('],\n"edges":[0,0,5')
        out.writelines(f",0,{n},{5 * (n + 2)}" for n in range(count))
        out.write('],\n"strings":["","Object"')
        out.writelines(f',\n"{n:0700}{bits.randbytes(350).hex()}"' for n in range(count))
        out.write("]}")


if __name__ == "__main__":
    write(sys.argv[1], int(sys.argv[2]))
