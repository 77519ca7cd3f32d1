import type { CheckpointFiles } from '../checkpoint-files.js'
import { HubError, MissingFileError } from './errors.js'
import type { Hub } from './hub.js'
import type { PullFolder } from './pull-folder.js'
import { RemoteFile } from './remote-file.js'
import { type Revision, safeName } from './revision.js'
import { fetchWhole } from './whole-file.js'

/** Names that are tried if a Hub does not list a repository's files. */
const TRIED = ['config.json', 'modules.json', 'model.safetensors', 'model.safetensors.index.json']
/** Most bytes of those that are fetched whole. */
const MAX_TRIED_BYTES = 1 << 26

const strict = new TextDecoder('utf-8', { fatal: true })

/** The files of a repository at a commit. Keeps small ones in the pull's folder, reads others in parts. */
export class RemoteFiles implements CheckpointFiles {
  readonly #open = new Map<string, RemoteFile>()
  /** Files in the pull's folder that this process has validated. */
  readonly #fresh = new Set<string>()

  constructor(
    private readonly hub: Hub,
    /** The repository's name, `org/model`. */
    readonly source: string,
    private readonly revision: Revision,
    private readonly kept: PullFolder,
    private readonly received: (bytes: number) => void,
  ) {}

  async names(): Promise<readonly string[]> {
    if (this.revision.files !== undefined) return [...this.revision.files]
    const found: string[] = []
    for (const name of TRIED) if (await this.#exists(name)) found.push(name)
    return found
  }

  async text(name: string, most: number): Promise<string | undefined> {
    const bytes = await this.keep(name, most)
    if (bytes === undefined) return undefined
    try {
      return strict.decode(bytes)
    } catch {
      throw new HubError(`${name} of ${this.source} must be UTF-8.`)
    }
  }

  /** Fetches a file into the pull's folder, unless it is there; undefined if the repository has no such file. */
  async keep(name: string, most: number): Promise<Buffer | undefined> {
    if (this.revision.files?.has(name) === false) return undefined
    if (this.#fresh.has(name)) return this.kept.read(name)
    const known = await this.kept.etag(name)
    try {
      const file = await fetchWhole(this.#place(name), most, known)
      if (file !== 'same') await this.kept.keep(name, file.bytes, file.state.etag)
      this.#fresh.add(name)
      return file === 'same' ? this.kept.read(name) : file.bytes
    } catch (error) {
      if (error instanceof MissingFileError) return undefined
      throw error
    }
  }

  async open(name: string): Promise<RemoteFile> {
    const file = this.#open.get(name) ?? new RemoteFile(this.#place(name))
    this.#open.set(name, file)
    return file
  }

  #place(name: string) {
    const { hub, source, received } = this
    return {
      ...{ hub, repository: source, received, commit: this.revision.commit },
      file: safeName(name, source),
    }
  }

  async #exists(name: string): Promise<boolean> {
    if (name.endsWith('.json')) return (await this.keep(name, MAX_TRIED_BYTES)) !== undefined
    try {
      await (await this.open(name)).state()
      return true
    } catch (error) {
      if (error instanceof MissingFileError) return false
      throw error
    }
  }
}
