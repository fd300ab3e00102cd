// TRUTH {"package": "zod", "leaking": "4.1.7", "fixed": "4.1.8", "files": ["v4/core/registries.cjs"], "owner": ["_map|ZodRegistry|globalRegistry"], "leaked": ["Zod"], "reported": "colinhacks/zod, commit 36c4ee3"}
// A schema with a description for each request.
const { run, N } = require('../lib/harness');
const { z } = require('zod');
run({ round(r) { for (let i = 0; i < N / 3; i++) z.string().describe(`name of request ${r} ${i}`).parse('x'); } });
