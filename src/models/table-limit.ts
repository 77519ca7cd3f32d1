import type { Config } from '../config.js'
import { usableMemory } from '../load/usable-memory.js'

/** Bytes of all models' tables together: what the configuration says, or half of what the process may use. */
export function tableLimit({ MAX_TABLE_BYTES }: Pick<Config, 'MAX_TABLE_BYTES'>): number {
  return MAX_TABLE_BYTES ?? Math.floor(usableMemory() / 2)
}
