/** Tables that were drawn together, one after the other from one stream. */
export type DrawnTogether = readonly Float32Array[]

/** Numbers that a thread keeps between requests: 32 MiB. */
const MAX_NUMBERS = 2 ** 23
/** Drawings that it keeps: the smallest weigh less than what keeps them. */
const MAX_DRAWINGS = 64

/** The latest drawings, in the order of their use. */
const kept = new Map<string, DrawnTogether>()
let numbers = 0

/** What is kept under a key, which is from now on the last to go. */
export function keptTables(key: string): DrawnTogether | undefined {
  const tables = kept.get(key)
  if (tables === undefined) return undefined
  kept.delete(key)
  kept.set(key, tables)
  return tables
}

/** Keeps tables for later requests, as far as there is room; those that were not used for longest go. */
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

/** Keeps none any more. */
export function forgetTables(): void {
  kept.clear()
  numbers = 0
}

function numbersIn(tables: DrawnTogether): number {
  return tables.reduce((sum, table) => sum + table.length, 0)
}
