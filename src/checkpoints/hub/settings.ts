import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { hubHome } from '../hub-cache.js'
import { HubError } from './errors.js'

const DEFAULT_ENDPOINT = 'https://huggingface.co'

/** Which Hub, and whose token. */
export interface HubSettings {
  /** Without a slash at its end: `https://huggingface.co`. */
  readonly endpoint: string
  /** Sent to the endpoint's origin only. */
  readonly token?: string
  /** How long a server may be silent. */
  readonly timeoutSeconds: number
}

type Env = Readonly<Record<string, string | undefined>>

/**
 * The settings of the Hugging Face libraries: `HF_ENDPOINT`, `HF_TOKEN` or the file that `hf auth login` writes,
 * `HF_HUB_OFFLINE`.
 *
 * Source: huggingface_hub 2.4, `constants.py`, `utils/_auth.py`.
 *
 * @param endpoint instead of `HF_ENDPOINT`
 * @throws HubError for a wrong value, or if `HF_HUB_OFFLINE` forbids the network
 */
export async function hubSettings(
  env: Env,
  timeoutSeconds: number,
  endpoint: string = env.HF_ENDPOINT || DEFAULT_ENDPOINT,
): Promise<HubSettings> {
  if (/^(1|on|yes|true)$/i.test(env.HF_HUB_OFFLINE ?? ''))
    throw new HubError(`HF_HUB_OFFLINE is ${env.HF_HUB_OFFLINE}: nothing is downloaded.`)
  const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw new HubError(`The endpoint must be an http or https address. Given: ${endpoint}`)
  if (url.username !== '' || url.password !== '')
    throw new HubError('The endpoint must have no user and no password: HF_TOKEN is sent instead.')
  return { endpoint: url.href.replace(/\/+$/, ''), token: await tokenOf(env), timeoutSeconds }
}

async function tokenOf(env: Env): Promise<string | undefined> {
  const path = env.HF_TOKEN_PATH || join(hubHome(env), 'token')
  const [given, source] = env.HF_TOKEN?.trim()
    ? [env.HF_TOKEN, 'HF_TOKEN']
    : [await readFile(path, 'utf8').catch(() => ''), path]
  const token = given.trim()
  if (token === '') return undefined
  if (/^[\x21-\x7e]+$/.test(token)) return token
  throw new HubError(`The token of ${source} must be visible ASCII characters.`)
}
