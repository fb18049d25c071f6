// The stacks as a tree: columns in preorder, as in tree.py. Node i has its first child at i + 1 and
// its next sibling at end[i]; node 0 is the root. Differences have an old and a new value a stack.
function flameTree({ shared, length, levels, values, sides = {} }) {
  const count = levels.reduce((sum, level) => sum + level.length, 1);
  const [name, depth, parent, end] = [0, 0, 0, 0].map(() => new Uint32Array(count));
  const total = new Float64Array(count);
  const sums = [[total, values]];
  for (const side in sides) sums.push([new Float64Array(count), sides[side]]);

  // Each stack adds the frames that it does not share with the stack before it.
  function addStacks() {
    const open = [0];
    const next = levels.map((level) => level.values());
    let node = 0;
    values.forEach((_, row) => {
      open.length = shared[row] + 1;
      while (open.length <= length[row]) {
        node += 1;
        name[node] = next[open.length - 1].next().value;
        depth[node] = open.length;
        parent[node] = open[open.length - 1];
        open.push(node);
      }
      for (const [sum, column] of sums) sum[open[open.length - 1]] += column[row];
    });
  }

  // From the last node back: every child is done before its parent.
  function sumUp() {
    end[0] = 1;
    for (let node = count - 1; node > 0; node--) {
      end[node] = Math.max(end[node], node + 1);
      for (const [sum] of sums) sum[parent[node]] += sum[node];
      end[parent[node]] = Math.max(end[parent[node]], end[node]);
    }
  }

  function children(node) {
    const all = [];
    for (let child = node + 1; child < end[node]; child = end[child]) all.push(child);
    return all.sort((one, other) => total[other] - total[one] || one - other);
  }

  function lineage(node) {
    const nodes = [];
    for (; node; node = parent[node]) nodes.unshift(node);
    return nodes;
  }

  addStacks();
  sumUp();
  const [old, now] = sums.slice(1).map(([sum]) => sum);
  return { name, depth, parent, end, total, old, now, children, lineage };
}
