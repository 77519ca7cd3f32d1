/** A bucket, and a key in it or the beginning of keys: `s3://bucket/a/b`. */
export interface Location {
  readonly bucket: string
  /** Without one slash at its end; empty: the whole bucket. */
  readonly key: string
}

const SCHEME = 's3://'

export const LOCATION_RULE = 's3://BUCKET/KEY, a bucket’s name and a key without parts `.` and `..`'

const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/
const MAX_KEY_BYTES = 900 // of 1,024: names are put behind it

/** Whether a path has a scheme: those of other programs (`s3a://`) are refused by the rule, not taken for folders. */
export function isLocation(path: string): boolean {
  return /^[a-z][\w+.-]*:\/\//i.test(path)
}

/** `s3://bucket/a/b/` → { bucket: 'bucket', key: 'a/b' }; undefined: against {@link LOCATION_RULE}. */
export function parseLocation(path: string): Location | undefined {
  if (!path.startsWith(SCHEME)) return undefined
  const [bucket = '', ...parts] = path.slice(SCHEME.length).replace(/\/$/, '').split('/')
  const key = parts.join('/')
  const isPart = (part: string) => part !== '.' && part !== '..' && !/\p{Cc}/u.test(part)
  if (!BUCKET.test(bucket) || !parts.every(isPart) || Buffer.byteLength(key) > MAX_KEY_BYTES) return undefined
  return { bucket, key }
}
