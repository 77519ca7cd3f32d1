import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { undefinedIfMissing } from '../files/aside.js'
import { type DatasetCard, LAYOUT } from './dataset-card.js'

export const FOLDER = 'datasets'

/** The file that makes a folder a dataset: it is the last one that is written. */
export const CARD_FILE = 'dataset.json'

export type DatasetFile = 'tokens' | 'documents' | 'mask' | 'lines'

export const FILES: Readonly<Record<DatasetFile, string>> = {
  tokens: 'tokens.bin',
  documents: 'documents.bin',
  /** Of a dataset of chats: a bit a token, the lowest first. */
  mask: 'mask.bin',
  /** The last documents' lines in the upload, uint32, from the first one on that is not the document's own number. */
  lines: 'lines.bin',
}

/** Ids of datasets and mixtures: nothing else is looked for on the disk. */
export const isDatasetId = (id: string) => /^(ds|mx)_[a-z2-7]{26}$/.test(id)

/** A folder whose files are laid out as another version of the service does. */
export class OtherLayout extends Error {
  constructor(
    readonly path: string,
    readonly layout: unknown,
  ) {
    super(`${path} has layout ${JSON.stringify(layout) ?? 'none'}; this version reads layout ${LAYOUT}`)
  }
}

/** The card of a folder; undefined if there is none. @throws OtherLayout */
export async function readCard(root: string, id: string): Promise<DatasetCard | undefined> {
  const path = join(root, id)
  const text = await readFile(join(path, CARD_FILE), 'utf8').catch(undefinedIfMissing)
  return text === undefined ? undefined : parseCard(text, path)
}

export function parseCard(text: string, path: string): DatasetCard {
  let card: { readonly layout?: unknown } | undefined
  try {
    card = JSON.parse(text)
  } catch {} // it has no layout
  if (card?.layout !== LAYOUT) throw new OtherLayout(path, card?.layout)
  return card as DatasetCard
}
