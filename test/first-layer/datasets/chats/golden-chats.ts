import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import { folderCard } from '../../../../src/checkpoints/folder-card.js'
import { cardTokenizer } from '../../../../src/first-layer/cards/tokenizers.js'
import { RustLibrary } from '../../../../src/first-layer/tokens/rust/rust-library.js'
import { allowedSpecialSet } from '../../../../src/first-layer/tokens/tokenize.js'
import type { Tokenizer } from '../../../../src/first-layer/tokens/tokenizer.js'

/** Runs of trained tokens: first and last (exclusive). */
type Runs = readonly (readonly [start: number, end: number])[]

export interface GoldenUpload {
  readonly file: string
  readonly query: {
    readonly mask?: 'sampled' | 'tags' | 'all'
    readonly turns?: 'auto' | 'whole' | 'each' | 'last'
    readonly trailing?: 'mask' | 'train'
    readonly chat_template?: string
    readonly document_end?: number
  }
  readonly chats: object
  /** Line, turn, place in `ids`, trained tokens. */
  readonly documents: readonly (readonly [line: number, turn: number | null, ids: number, trained: Runs])[]
  readonly batches: readonly {
    readonly recipe: Record<string, unknown>
    readonly windows: readonly (readonly (readonly [document: number, start: number, length: number])[])[]
    readonly num_target_tokens: number
    readonly num_untrained_pieces: number
    readonly num_dropped_documents: number
  }[]
}

export interface GoldenAsk {
  readonly line: number
  readonly mask: 'sampled' | 'tags'
  readonly add_generation_prompt: boolean
  readonly has_tags: boolean
  readonly ids?: number
  readonly trained?: Runs
  readonly code?: string
}

export interface GoldenFolder {
  readonly files: Readonly<Record<string, readonly object[]>>
  readonly ids: readonly (readonly number[])[]
  readonly uploads: readonly GoldenUpload[]
  readonly asks: readonly GoldenAsk[]
}

export interface GoldenError {
  readonly folder: string
  readonly file?: string
  readonly lines?: readonly object[]
  readonly query: GoldenUpload['query']
  readonly status: number
  readonly code: string
  readonly line?: number
  readonly turn?: number | null
  readonly reason?: string
}

const GOLDENS = new URL('../../../goldens/', import.meta.url)

/** Made by transformers 5.24 and tokenizers 0.23. */
export const chats: {
  readonly folders: Readonly<Record<string, GoldenFolder>>
  readonly errors: readonly GoldenError[]
} = JSON.parse(gunzipSync(readFileSync(new URL('chats.json.gz', GOLDENS))).toString())

export function folderOf(name: string): string {
  return fileURLToPath(new URL(`chats/${name}`, GOLDENS))
}

const library = new RustLibrary()

async function opened(name: string) {
  const card = await folderCard(name, folderOf(name))
  const file = card.tokenizer as Parameters<typeof cardTokenizer>[0]
  const tokenizer = await cardTokenizer(file, library)
  return { card, tokenizer, how: how(tokenizer) }
}

const folders = new Map<string, ReturnType<typeof opened>>()

/** A folder's card and tokenizer, made once. */
export function openFolder(name: string): ReturnType<typeof opened> {
  const folder = folders.get(name) ?? opened(name)
  folders.set(name, folder)
  return folder
}

function how(tokenizer: Tokenizer) {
  return { allowedSpecial: allowedSpecialSet(tokenizer, 'all'), ranges: true }
}

/** 0, 0, 1, 1, 0 → [[2, 4]] */
export function runsOf(mask: Iterable<number>): [number, number][] {
  const runs: [number, number][] = []
  let i = 0
  for (const bit of mask) {
    if (bit && runs.at(-1)?.[1] === i) runs.at(-1)![1]++
    else if (bit) runs.push([i, i + 1])
    i++
  }
  return runs
}
