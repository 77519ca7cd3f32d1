import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ModelEntry } from '../../src/models/entry.js'
import { folderEntries } from '../../src/models/folders.js'
import { type FileTensor, tableFile } from '../table-files.js'

/** config.json of a LLaMA of four tokens, two elements each. */
export const CONFIG = {
  model_type: 'llama',
  vocab_size: 4,
  hidden_size: 2,
  num_attention_heads: 1,
  max_position_embeddings: 8,
  dtype: 'float32',
} as const

export const ROWS = 'model.embed_tokens.weight'
export const NUMBERS = [0, 1, 2, 3, 4, 5, 6, 7]

/** A file with LLaMA's one tensor. */
export function rowsFile(tensor: Partial<FileTensor> = {}, name: string = ROWS): Buffer {
  return tableFile({ [name]: { shape: [4, 2], numbers: NUMBERS, ...tensor } })
}

/** A temporary folder of models. */
export class ModelsFolder {
  private constructor(readonly path: string) {}

  static async make(): Promise<ModelsFolder> {
    return new ModelsFolder(await mkdtemp(join(tmpdir(), 'inlet-folders-')))
  }

  /** Writes a model's folder; objects become JSON. Undefined leaves a file out. */
  async write(
    name: string,
    files: Readonly<Record<string, string | Buffer | object | undefined>>,
  ): Promise<string> {
    const path = join(this.path, name)
    await mkdir(path, { recursive: true })
    for (const [file, content] of Object.entries(files)) {
      if (content === undefined) continue
      const isBytes = typeof content === 'string' || Buffer.isBuffer(content)
      await writeFile(join(path, file), isBytes ? content : JSON.stringify(content))
    }
    return path
  }

  /** A whole LLaMA, with some files replaced. */
  llama(name: string, files: Parameters<ModelsFolder['write']>[1] = {}): Promise<string> {
    return this.write(name, { 'config.json': CONFIG, 'model.safetensors': rowsFile(), ...files })
  }

  entries(): Promise<ModelEntry[]> {
    return folderEntries({ MODELS_DIR: this.path, MODELS: undefined }, () => {})
  }

  remove(): Promise<void> {
    return rm(this.path, { recursive: true })
  }
}
