import { arrowsBy, type Numbered } from "./graph";

/** Which arrows lead back, so that the rest has no cycle: those that a walk in depth finds to lead to where it came from. */
export function backArrows(graph: Numbered): Uint8Array {
  const count = graph.boxes.length;
  const out = arrowsBy(graph.from, count);
  const incoming = new Int32Array(count);
  for (const to of graph.to) incoming[to] = (incoming[to] ?? 0) + 1;
  const isBack = new Uint8Array(graph.from.length);
  const state = new Uint8Array(count); // 1: on the way, 2: done
  const roots = [...Array(count).keys()].sort((a, b) => (incoming[a] ?? 0) - (incoming[b] ?? 0) || a - b);
  for (const root of roots) {
    if (state[root]) continue;
    const way: [number, number][] = [[root, 0]];
    state[root] = 1;
    while (way.length > 0) {
      const top = way[way.length - 1] as [number, number];
      const arrow = out[top[0]]?.[top[1]];
      if (arrow === undefined) {
        state[top[0]] = 2;
        way.pop();
        continue;
      }
      top[1] += 1;
      const next = graph.to[arrow] as number;
      if (state[next] === 1) isBack[arrow] = 1;
      else if (!state[next]) {
        state[next] = 1;
        way.push([next, 0]);
      }
    }
  }
  return isBack;
}

/**
 * The layer of each box by the longest path that leads to it; a box with more arrows out than in is then
 * drawn to the right, next to what it feeds.
 */
export function layers(graph: Numbered, isBack: Uint8Array): Int32Array {
  const count = graph.boxes.length;
  const out = arrowsBy(graph.from, count);
  const waiting = new Int32Array(count);
  const incoming = new Int32Array(count);
  graph.to.forEach((to, arrow) => {
    if (isBack[arrow]) return;
    waiting[to] = (waiting[to] ?? 0) + 1;
    incoming[to] = (incoming[to] ?? 0) + 1;
  });
  const layer = new Int32Array(count);
  const order = [...Array(count).keys()].filter((box) => waiting[box] === 0);
  for (let at = 0; at < order.length; at += 1) {
    const box = order[at] as number;
    for (const arrow of out[box] ?? []) {
      if (isBack[arrow]) continue;
      const to = graph.to[arrow] as number;
      layer[to] = Math.max(layer[to] ?? 0, (layer[box] ?? 0) + (graph.span[arrow] ?? 1));
      waiting[to] = (waiting[to] ?? 0) - 1;
      if (waiting[to] === 0) order.push(to);
    }
  }
  for (const box of order.reverse()) {
    const forward = (out[box] ?? []).filter((arrow) => !isBack[arrow]);
    if (forward.length === 0 || forward.length <= (incoming[box] ?? 0)) continue;
    const nearest = Math.min(
      ...forward.map((arrow) => (layer[graph.to[arrow] as number] ?? 0) - (graph.span[arrow] ?? 1)),
    );
    layer[box] = Math.max(layer[box] ?? 0, nearest);
  }
  return layer;
}
