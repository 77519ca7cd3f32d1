import { basename, isAbsolute } from 'node:path'
import { InletError, visible } from '../first-layer/errors.js'
import { TOKENIZER_FILES } from '../first-layer/tokens/tokenizer-file/choose-tokenizer.js'

/** The files of a checkpoint, in a folder or elsewhere. */
export interface CheckpointFiles {
  /** Their place, in the form that `from_pretrained` of transformers takes. */
  readonly source: string
  /** The names in the folder, or in a folder within it. */
  names(inside?: string): Promise<readonly string[]>
  /** The text of a file; undefined if missing. @throws if it has more than {@link MAX_TEXT_BYTES}, or is not UTF-8 */
  text(name: string): Promise<string | undefined>
  /** Opens a file for reading. @throws if it is missing */
  open(name: string): Promise<ReadableFile>
}

/** An open file, of which any part can be read: a `FileHandle` is one. */
export interface ReadableFile extends AsyncDisposable {
  stat(): Promise<{ readonly size: number }>
  /** Reads into `bytes` from `offset` on, at most `length` bytes, from the file's byte `position` on. */
  read(
    bytes: Uint8Array,
    offset: number,
    length: number,
    position: number,
  ): Promise<{ readonly bytesRead: number }>
}

/** Fills `target` with the file's bytes from `at` on. @throws InletError `model_failed` if the file ends before */
export async function readFully<Target extends Uint8Array>(
  file: ReadableFile,
  target: Target,
  at: number,
  name: string,
): Promise<Target> {
  for (let done = 0; done < target.length; ) {
    const { bytesRead } = await file.read(target, done, target.length - done, at + done)
    if (bytesRead === 0) throw folderError(name, `must not end at byte ${at + done}`)
    done += bytesRead
  }
  return target
}

export const CONFIG_FILE = 'config.json'
/** The modules of a model of sentence-transformers. */
export const MODULES_FILE = 'modules.json'
/** A pulled folder's origin, which `inlet pull` writes. */
export const SOURCE_FILE = 'inlet-source.json'
/** A card that stands alone in a model's folder. */
export const CARD_FILE = 'inlet.json'
/** The prompts of a model of sentence-transformers, and how wide its embeddings are. */
export const PROMPTS_FILE = 'config_sentence_transformers.json'
/** Settings in a static model’s folder that only this service reads. */
export const STATIC_SETTINGS_FILE = 'inlet_static.json'
/** The ranges of a static model's embeddings. */
export const CALIBRATION_FILE = 'calibration.safetensors'
export const TOKENIZER_FILE = TOKENIZER_FILES.tokenizer
/** The files that make a folder a model: the first one present decides the kind. */
export const MODEL_FILES = [CONFIG_FILE, MODULES_FILE, CARD_FILE, TOKENIZER_FILE] as const

/** Added tokens of older folders. */
export const ADDED_TOKENS_FILE = 'added_tokens.json'

/** Most bytes of a file of text: twice those of the largest tokenizer.json, of a quarter of a million tokens with merges. */
export const MAX_TEXT_BYTES = 1 << 26

/** 422 `model_failed`: `config.json: \`hidden_size\` must be a whole number of at least 1. Given: "wide"`. */
export function folderError(file: string, problem: string): InletError {
  return new InletError('model_failed', `${file}: ${problem}`, 'model')
}

/** Why a folder gives no tables, though its tokenizer may serve. */
export class NoTablesError extends InletError {
  constructor(file: string, problem: string) {
    super('model_failed', `${file}: ${problem}`, 'model')
  }
}

/** A path as callers of a service may read it: of an absolute one the last part, `…/gpt2`. */
export function shownPath(path: string): string {
  return isAbsolute(path) ? `…/${basename(path)}` : path
}

/** A value in an error message: its JSON, cut to 80 characters. */
export function told(value: unknown): string {
  const json = visible(JSON.stringify(value) ?? String(value))
  return json.length > 80 ? `${json.slice(0, 80)}…` : json
}
