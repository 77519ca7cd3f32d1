import {
  type FileHandle,
  mkdir,
  open,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  writeFile,
} from 'node:fs/promises'
import { basename, dirname, join, relative, sep } from 'node:path'
import { lock } from './pull-lock.js'

/** What a folder is a copy of. */
export interface Origin {
  /** `org/model`. */
  readonly repository: string
  readonly commit: string
}

interface State extends Origin {
  /** ETags of the files that are whole. */
  readonly files: Record<string, string>
  /** Says what the bytes of the weights' file are: see `weights.ts`. */
  weights?: string
}

/**
 * The temporary folder of a pull, beside its target: `models/gpt2` → `models/.gpt2.pull`. It stays where the pull is
 * interrupted, and the next pull of the same commit goes on with it.
 */
export class PullFolder {
  private constructor(
    private readonly path: string,
    private readonly state: State,
  ) {}

  /** @throws HubError where another process pulls to the same target */
  static async of(target: string, { repository, commit }: Origin): Promise<PullFolder> {
    const path = join(dirname(target), `.${basename(target)}.pull`)
    await mkdir(join(path, 'files'), { recursive: true })
    await lock(join(path, 'lock'), target)
    const found = await readState(join(path, 'state.json'))
    if (found?.repository === repository && found.commit === commit) return new PullFolder(path, found)
    await rm(join(path, 'files'), { recursive: true })
    await mkdir(join(path, 'files'))
    const folder = new PullFolder(path, { repository, commit, files: {} })
    await folder.#save()
    return folder
  }

  /** The folder that becomes the target. */
  get files(): string {
    return join(this.path, 'files')
  }

  /** The ETag of a file that is whole; undefined where it is not there. */
  async etag(name: string): Promise<string | undefined> {
    const isThere = await stat(join(this.files, name)).then(
      (found) => found.isFile(),
      () => false,
    )
    return isThere && Object.hasOwn(this.state.files, name) ? this.state.files[name] : undefined
  }

  read(name: string): Promise<Buffer> {
    return readFile(join(this.files, name))
  }

  /** Writes a whole file. */
  async keep(name: string, bytes: Uint8Array, etag: string | undefined): Promise<void> {
    await mkdir(dirname(join(this.files, name)), { recursive: true })
    await writeAtOnce(join(this.files, name), bytes)
    if (etag === undefined) return
    Object.defineProperty(this.state.files, name, { value: etag, enumerable: true, configurable: true })
    await this.#save()
  }

  /**
   * Opens the file of the weights, to which bytes are appended.
   *
   * @param content says what its bytes are: where it said something else before, the file is empty; undefined: always
   */
  async weights(name: string, content: string | undefined): Promise<FileHandle> {
    const path = join(this.files, name)
    if (content === undefined || content !== this.state.weights) {
      await rm(path, { force: true })
      this.state.weights = content
      await this.#save()
    }
    await mkdir(dirname(path), { recursive: true })
    return open(path, 'a')
  }

  /** Removes what is not part of the target: the index of the shards, files of another attempt. */
  async keepOnly(names: readonly string[]): Promise<void> {
    for (const found of await readdir(this.files, { recursive: true, withFileTypes: true })) {
      const name = relative(this.files, join(found.parentPath ?? found.path, found.name))
      if (found.isFile() && !names.includes(name.replaceAll(sep, '/'))) await rm(join(this.files, name))
    }
  }

  /** Puts the files in the target's place, from which another folder goes. */
  async finish(target: string): Promise<void> {
    const old = join(this.path, 'old')
    await rm(old, { recursive: true, force: true })
    await rename(target, old).catch((error) => {
      if (error.code !== 'ENOENT') throw error
    })
    await rename(this.files, target)
    await rm(this.path, { recursive: true })
  }

  /** Lets other processes go on with the folder, where it is still there. */
  async release(): Promise<void> {
    await rm(join(this.path, 'lock'), { force: true })
  }

  #save(): Promise<void> {
    return writeAtOnce(join(this.path, 'state.json'), Buffer.from(JSON.stringify(this.state)))
  }
}

async function readState(path: string): Promise<State | undefined> {
  try {
    const state = JSON.parse(await readFile(path, 'utf8'))
    return typeof state?.files === 'object' && state.files !== null ? state : undefined
  } catch {
    return undefined // there is none yet
  }
}

async function writeAtOnce(path: string, bytes: Uint8Array): Promise<void> {
  await writeFile(`${path}.new`, bytes)
  await rename(`${path}.new`, path)
}
