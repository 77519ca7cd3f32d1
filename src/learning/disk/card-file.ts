import { join } from 'node:path'
import { crc32c } from './crc32c.js'
import { Damage, there } from './damage.js'
import { atOnce, type FileSystem, writeSynced } from './file-system.js'
import { CARD_FILE } from './folder-files.js'

/** The version of the folder's layout, of its records and of its card. */
export const LAYOUT = 1

/** A card as JSON keeps it: no undefined, no bigint. */
export type StoredCard = Readonly<Record<string, unknown>>

/** A folder whose files are laid out as another version of the service does. */
export class OtherLayout extends Error {
  constructor(path: string, layout: unknown) {
    super(`${path} has layout ${JSON.stringify(layout) ?? 'none'}; this version reads layout ${LAYOUT}`)
  }
}

export function writeCard(fs: FileSystem, folder: string, card: StoredCard): void {
  const text = JSON.stringify({ layout: LAYOUT, crc32c: crcOf(LAYOUT, card), card })
  atOnce(writeSynced(fs, join(folder, CARD_FILE), [Buffer.from(text)]))
}

/** @throws Damage, OtherLayout */
export function readCard(fs: FileSystem, folder: string): StoredCard {
  const path = join(folder, CARD_FILE)
  const file = parsed(there(path, () => fs.readFileSync(path)))
  const { layout, crc32c: crc, card } = file ?? {}
  if (typeof card !== 'object' || card === null || crcOf(layout, card) !== crc) {
    throw new Damage(path, 0, 'the card is not as it was written')
  }
  if (layout !== LAYOUT) throw new OtherLayout(path, layout)
  return card as StoredCard
}

/** Of layout and card as JSON: an object that was read from JSON is written as it stood there. */
function crcOf(layout: unknown, card: object): string {
  return crc32c(Buffer.from(JSON.stringify([layout, card]))).toString(16)
}

const strict = new TextDecoder('utf-8', { fatal: true })

function parsed(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  try {
    return JSON.parse(strict.decode(bytes))
  } catch {
    return undefined
  }
}
