import { HubError } from './errors.js'
import type { HubAnswer } from './hub.js'

/** A file's state in its first answer; every later answer must have the same. */
export interface FileState {
  /** The Hub's ETag without quotes: the file's digest, as a rule. */
  readonly etag: string | undefined
  /** The ETag of the server that sends the bytes, as it sent it. */
  readonly served: string | undefined
  /** Bytes; undefined if no server gives them. */
  readonly bytes: number | undefined
}

/** Reads the state from an answer's headers. @throws HubError if they contradict each other or the commit */
export function stateOf({ status, headers, linked }: HubAnswer, file: string, commit: string): FileState {
  const at = linked.get('x-repo-commit')
  if (at !== null && at !== commit) throw new HubError(`${file}: commit ${commit} is asked for, ${at} comes.`)
  const coding = headers.get('content-encoding') ?? 'identity'
  if (!/^identity(, *identity)*$/i.test(coding)) throw new HubError(`${file} comes packed as ${coding}.`)
  const length = headers.get('content-length')
  const range = headers.get('content-range')
  const sent = status === 206 ? totalOf(range) : length === null ? undefined : Number(length)
  const stated = linked.get('x-linked-size')
  if (stated !== null && sent !== undefined && Number(stated) !== sent) {
    throw new HubError(`${file} must have ${stated} bytes, as the Hub says. It has ${sent}.`)
  }
  const served = headers.get('etag') ?? undefined
  const etag = linked.get('x-linked-etag') ?? linked.get('etag') ?? served
  return { etag: etag && bare(etag), served, bytes: stated === null ? sent : Number(stated) }
}

/** @throws HubError if a file has changed */
export function checkSame(first: FileState, now: FileState, file: string): void {
  for (const key of ['etag', 'served', 'bytes'] as const) {
    if (first[key] === now[key]) continue
    throw new HubError(`${file} changed while it was fetched: it was ${first[key]}, and is ${now[key]} now.`)
  }
}

/** `W/"abc"` → `abc`. */
export function bare(etag: string): string {
  return etag.replace(/^W\//, '').replace(/^"(.*)"$/, '$1')
}

/** `bytes 0-7/548105171` → 548105171. */
function totalOf(range: string | null): number | undefined {
  const total = /^bytes \d+-\d+\/(\d+)$/.exec(range ?? '')?.[1]
  return total === undefined ? undefined : Number(total)
}
