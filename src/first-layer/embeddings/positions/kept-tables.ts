/** Tables that were drawn together, one after the other from one stream. */
export type DrawnTogether = readonly Float32Array[]

/** Most numbers that a thread keeps between requests: 32 MiB. */
const MAX_NUMBERS = 2 ** 23
/** Most drawings that a thread keeps: of the smallest, the map's entry takes more memory than the numbers. */
const MAX_DRAWINGS = 64

/** The latest drawings, the least recently used first. */
const kept = new Map<string, DrawnTogether>()
let numbers = 0

/** The tables kept under a key; marks them as the most recently used. */
export function keptTables(key: string): DrawnTogether | undefined {
  const tables = kept.get(key)
  if (tables === undefined) return undefined
  kept.delete(key)
  kept.set(key, tables)
  return tables
}

/** Keeps tables for later requests; drops the least recently used ones beyond the limits. */
export function keepTables(key: string, tables: DrawnTogether): void {
  if (kept.has(key) || numbersIn(tables) > MAX_NUMBERS) return
  kept.set(key, tables)
  numbers += numbersIn(tables)
  for (const [oldest, old] of kept) {
    if (numbers <= MAX_NUMBERS && kept.size <= MAX_DRAWINGS) return
    kept.delete(oldest)
    numbers -= numbersIn(old)
  }
}

function numbersIn(tables: DrawnTogether): number {
  return tables.reduce((sum, table) => sum + table.length, 0)
}
