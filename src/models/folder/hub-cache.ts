import { readdir, readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { folderError } from './folder-error.js'

/** `org/model` or `org/model@revision`, as the Hub names models. */
const REPOSITORY = /^([A-Za-z0-9][\w.-]*)\/([A-Za-z0-9][\w.-]*)(?:@([\w./-]+))?$/

/** Whether a source is a model of the Hub, and no path: paths begin with `/` or `.`, or have more parts. */
export function isRepository(source: string): boolean {
  return REPOSITORY.test(source)
}

/**
 * Where the Hugging Face libraries keep what they have downloaded: `HF_HUB_CACHE`, else `HF_HOME`/hub, else
 * `XDG_CACHE_HOME`/huggingface/hub, else ~/.cache/huggingface/hub.
 *
 * Source: huggingface_hub 2.4, `constants.py`.
 */
export function hubCache(env: Readonly<Record<string, string | undefined>> = process.env): string {
  if (env.HF_HUB_CACHE) return env.HF_HUB_CACHE
  const home = env.HF_HOME ?? join(env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'huggingface')
  return join(home, 'hub')
}

/**
 * The folder of a downloaded model: `org/model@main` → `…/models--org--model/snapshots/COMMIT`. Nothing is downloaded.
 *
 * @throws InletError `model_failed` where the cache has not this model or revision: says what it has
 */
export async function snapshotOf(source: string, cache = hubCache()): Promise<string> {
  const [, org, model, revision = 'main'] = REPOSITORY.exec(source) ?? []
  const repository = join(cache, `models--${org}--${model}`)
  const has = (path: string) =>
    stat(path).then(
      (found) => found.isDirectory(),
      () => false,
    )
  if (!(await has(repository))) {
    throw folderError(
      source,
      `is not in the Hugging Face cache ${cache}. Download it first: inlet pull ${source}`,
    )
  }
  if (revision.split('/').includes('..')) throw folderError(source, 'must not name a revision with ..')
  const commit = await readFile(join(repository, 'refs', revision), 'utf8').then(
    (text) => text.trim(),
    () => revision,
  )
  const snapshot = join(repository, 'snapshots', commit)
  if (/^[0-9a-f]{7,64}$/.test(commit) && (await has(snapshot))) return snapshot
  const revisions = await readdir(join(repository, 'refs')).catch(() => [])
  const known = revisions.length > 0 ? `It has ${revisions.join(', ')}` : 'It has none'
  throw folderError(source, `has no revision ${revision} in the cache. ${known}`)
}
