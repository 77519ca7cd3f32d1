import { join } from 'node:path'
import type { FileSystem } from './file-system.js'

export const CARD_FILE = 'card.json'

/** Files of a model's folder that have a number: `log.3` is what came after `checkpoint.3.safetensors`. */
const CHECKPOINT = /^checkpoint\.(\d+)\.safetensors$/
const LOG = /^log\.(\d+)$/
/** A checkpoint that is being written. */
const ASIDE = /^checkpoint\.(\d+)\.aside$/

export const checkpointFile = (number: number) => `checkpoint.${number}.safetensors`
export const asideFile = (number: number) => `checkpoint.${number}.aside`
export const logFile = (number: number) => `log.${number}`

/** The folder of a model: `openai-community/gpt2` → `openai-community@gpt2`. No id has an `@`. */
export function folderName(model: string): string {
  return model.replace('/', '@')
}

export function modelOf(folder: string): string {
  return folder.replace('@', '/')
}

/** The numbered files of a folder. */
export interface FolderFiles {
  /** Numbers, the greatest first. */
  readonly checkpoints: readonly number[]
  readonly logs: readonly number[]
  /** Of checkpoints that were not finished. */
  readonly asides: readonly number[]
}

export function listFiles(fs: FileSystem, folder: string): FolderFiles {
  const names = fs.readdirSync(folder)
  const numbers = (pattern: RegExp) =>
    names
      .flatMap((name) => pattern.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => b - a)
  return {
    checkpoints: numbers(CHECKPOINT),
    logs: numbers(LOG),
    asides: numbers(ASIDE),
  }
}

/** Removes a folder that has no folders in it. */
export function removeFolder(fs: FileSystem, folder: string): void {
  for (const name of fs.readdirSync(folder)) fs.unlinkSync(join(folder, name))
  fs.rmdirSync(folder)
}
