/** [planes, T, K, width] element by element: entry(plane, key − query)[w]. */
export function everyDistance(
  [planes, queries, keys, width]: readonly [number, number, number, number],
  firstQuery: number,
  entry: (plane: number, distance: number, w: number) => number,
): number[] {
  const out: number[] = []
  for (let plane = 0; plane < planes; plane++) {
    for (let query = firstQuery; query < firstQuery + queries; query++) {
      for (let key = 0; key < keys; key++) {
        for (let w = 0; w < width; w++) out.push(entry(plane, key - query, w))
      }
    }
  }
  return out
}
