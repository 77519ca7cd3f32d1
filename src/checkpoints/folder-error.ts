import { basename, isAbsolute } from 'node:path'
import { InletError, visible } from '../first-layer/errors.js'

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
