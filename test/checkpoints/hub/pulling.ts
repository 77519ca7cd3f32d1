import { readFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Hub } from '../../../src/checkpoints/hub/hub.js'
import { type Pulled, pull } from '../../../src/checkpoints/hub/pull.js'
import { parseRepository } from '../../../src/checkpoints/hub-cache.js'
import { FakeHub } from './fake-hub.js'

const GOLDENS = new URL('../../goldens/', import.meta.url)

export const TOKENIZER = {
  'tokenizer.json': readFileSync(new URL('../../goldens/tokenizers/wordlevel.json', import.meta.url), 'utf8'),
  'tokenizer_config.json': '{"tokenizer_class":"GPT2Tokenizer"}',
}

/** The files of a golden checkpoint, or of a static model. */
export async function golden(name: string, kind = 'models'): Promise<Record<string, Buffer>> {
  const folder = new URL(`${kind}/${name}/`, GOLDENS)
  const found = await readdir(folder, { recursive: true, withFileTypes: true })
  const files = found.filter((each) => each.isFile() && each.name !== 'expected.json')
  return Object.fromEntries(
    await Promise.all(
      files.map(async (each) => {
        const path = join(each.parentPath, each.name)
        return [relative(fileURLToPath(folder), path), await readFile(path)]
      }),
    ),
  )
}

/** A fake hub and a folder to pull to, for one test. */
export class Pulling {
  readonly pauses: { seconds: number; reason: string }[] = []
  readonly user = new AbortController()

  private constructor(
    readonly hub: FakeHub,
    readonly folder: string,
  ) {}

  static async of(files: Readonly<Record<string, string | Buffer>>): Promise<Pulling> {
    return new Pulling(await FakeHub.start(files), await mkdtemp(join(tmpdir(), 'inlet-pull-')))
  }

  get target(): string {
    return join(this.folder, 'model')
  }

  async end(): Promise<void> {
    await this.hub.stop()
    await rm(this.folder, { recursive: true, force: true })
  }

  /** Pulls without waiting between attempts. */
  pull(
    given: {
      source?: string
      force?: boolean
      tokenizerOnly?: boolean
      token?: string
      timeoutSeconds?: number
    } = {},
  ): Promise<Pulled> {
    const { source = 'org/model', force = false, tokenizerOnly = false, token, timeoutSeconds = 20 } = given
    const settings = { endpoint: this.hub.url, token, timeoutSeconds }
    const hub = new Hub(settings, this.user.signal, async (seconds, reason) => {
      this.pauses.push({ seconds, reason })
    })
    const repository = parseRepository(source)!
    return pull({
      ...{ repository, target: this.target, force, tokenizerOnly, hub },
      ...{ planned() {}, received() {} },
    })
  }
}
