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
import { hostname } from 'node:os'
import { basename, dirname, join, relative, sep } from 'node:path'
import { HubError } from './errors.js'

/** The state of a repository that a folder copies. */
export interface Origin {
  /** `org/model`. */
  readonly repository: string
  readonly commit: string
}

interface State extends Origin {
  /** ETags of the whole files. */
  readonly files: Record<string, string>
  /** The digest of the plan of the weights' file (`weights.ts`). */
  weights?: string
}

/**
 * The temporary folder of a pull, beside its target: `models/gpt2` → `models/.gpt2.pull`. It stays when the pull is
 * interrupted, and the next pull of the same commit resumes it.
 */
export class PullFolder {
  private constructor(
    private readonly path: string,
    private readonly state: State,
  ) {}

  /** @throws HubError if another process pulls to the same target */
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

  /** The ETag of a whole file; undefined if it is not there. */
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
   * @param content digest of the plan; the file is emptied if it is undefined or differs from the last one
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

  /** Removes all other files: the index of the shards, files of another attempt. */
  async keepOnly(names: readonly string[]): Promise<void> {
    for (const found of await readdir(this.files, { recursive: true, withFileTypes: true })) {
      const name = relative(this.files, join(found.parentPath ?? found.path, found.name))
      if (found.isFile() && !names.includes(name.replaceAll(sep, '/'))) await rm(join(this.files, name))
    }
  }

  /** Moves the files to the target, and removes the folder that was there. */
  async finish(target: string): Promise<void> {
    const old = join(this.path, 'old')
    await rm(old, { recursive: true, force: true })
    await rename(target, old).catch((error) => {
      if (error.code !== 'ENOENT') throw error
    })
    await rename(this.files, target)
    await rm(this.path, { recursive: true })
  }

  /** Lets other processes resume the folder. */
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
    return undefined // there is no state yet
  }
}

async function writeAtOnce(path: string, bytes: Uint8Array): Promise<void> {
  await writeFile(`${path}.new`, bytes)
  await rename(`${path}.new`, path)
}

/**
 * Marks a pull's folder as used by this process, by a file with its host and id.
 *
 * @throws HubError if a living process of this host uses it
 */
async function lock(path: string, target: string): Promise<void> {
  const own = `${hostname()} ${process.pid}`
  const isOurs = await writeFile(path, own, { flag: 'wx' }).then(
    () => true,
    (error) => {
      if (error.code !== 'EEXIST') throw error
      return false
    },
  )
  if (isOurs) return
  const [host, pid] = (await readFile(path, 'utf8').catch(() => '')).split(' ')
  if (host === hostname() && lives(Number(pid))) {
    throw new HubError(`Process ${pid} pulls to ${target}. Where it does not, remove ${path}.`)
  }
  await writeFile(path, own)
}

function lives(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}
