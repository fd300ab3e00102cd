"""A large CPU profile of an invented program: 20,000 functions in 300 scripts, calls up to 60 deep.

usage: python3 profile.py OUT.cpuprofile NODES SAMPLES
"""

import random
import sys

FUNCTIONS, SCRIPTS, DEPTH = 20_000, 300, 60
# Samples before a node of another part of the tree is on top, at most.
LONGEST = 30


def tree(chance, nodes):
    """The children of each node; ids begin at 1. A node has its parent among those shortly before it."""
    children, depth = [[] for _ in range(nodes + 1)], [0] * (nodes + 1)
    for node in range(2, nodes + 1):
        parent = chance.randrange(max(1, node - 3000), node)
        if depth[parent] == DEPTH:
            parent = 1
        children[parent].append(node)
        depth[node] = depth[parent] + 1
    return children


def frame(chance, node):
    if node < 3:
        name, script, line, column, url = ["(root)", "(garbage collector)"][node - 1], 0, -1, -1, ""
    else:
        function = chance.randrange(FUNCTIONS)
        script, line, column, name = function % SCRIPTS + 1, function % 900, function % 80, f"function{function}"
        folder = f"node_modules/package{script}/lib" if script > 20 else "src"
        url = f"file:///app/{folder}/file{script}.js"
    return f'{{"functionName":"{name}","scriptId":"{script}","url":"{url}","lineNumber":{line},"columnNumber":{column}}}'


def sampled(chance, nodes, samples):
    """Nodes on top, one after the other: each for some samples, then one near it."""
    node = min(nodes, 1000)
    while samples > 0:
        node = min(nodes, max(3, node + chance.randrange(-40, 41)))
        count = min(samples, chance.randrange(1, LONGEST))
        yield from [node] * count
        samples -= count


def main(out, nodes, samples):
    chance = random.Random(7)
    children = tree(chance, nodes)
    with open(out, "w") as file:
        write_all = lambda values: file.writelines(f",{value}" if at else str(value) for at, value in enumerate(values))
        file.write('{"nodes":[')
        for node in range(1, nodes + 1):
            # As V8 writes them: nodes without children have no such key.
            below = f',"children":{children[node]}'.replace(" ", "") if children[node] else ""
            separator = "," if node > 1 else ""
            file.write(f'{separator}{{"id":{node},"callFrame":{frame(chance, node)},"hitCount":0{below}}}')
        file.write(f'],"startTime":1000000,"endTime":{1_000_000 + 100 * samples},"samples":[')
        write_all(sampled(chance, nodes, samples))
        file.write('],"timeDeltas":[')
        write_all(chance.randrange(90, 111) for _ in range(samples))
        file.write("]}")


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
