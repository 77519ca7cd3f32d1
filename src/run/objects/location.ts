/** A bucket, and a key in it or the beginning of keys: `s3://bucket/a/b`. */
export interface Location {
  readonly bucket: string
  /** Without a slash at either end; empty: the whole bucket. */
  readonly key: string
}

const SCHEME = 's3://'

export const LOCATION_RULE = 's3://BUCKET/KEY, a bucket’s name and a key without empty parts, `.` and `..`'

const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,62}$/
const MAX_KEY_BYTES = 900 // of 1,024: names are put behind it

export function isLocation(path: string): boolean {
  return path.startsWith(SCHEME)
}

/** `s3://bucket/a/b/` → { bucket: 'bucket', key: 'a/b' }; undefined: against {@link LOCATION_RULE}. */
export function parseLocation(path: string): Location | undefined {
  if (!isLocation(path)) return undefined
  const [bucket = '', ...parts] = path.slice(SCHEME.length).replace(/\/+$/, '').split('/')
  const key = parts.join('/')
  const isPart = (part: string) => part !== '' && part !== '.' && part !== '..' && !/\p{Cc}/u.test(part)
  if (!BUCKET.test(bucket) || !parts.every(isPart) || Buffer.byteLength(key) > MAX_KEY_BYTES) return undefined
  return { bucket, key }
}

/** An object of a bucket, as a listing tells it. */
export interface ObjectEntry {
  readonly key: string
  readonly bytes: number
  /** The object's `ETag`: it differs if the bytes have changed. */
  readonly tag: string
  /** Milliseconds since 1970. */
  readonly changed: number
}

export interface ObjectBody {
  readonly bytes: Uint8Array
  /** Their SHA-256 in hexadecimal: the storage refuses other bytes under it. */
  readonly sha256: string
}

/** An object that is written in parts; it is there, whole, when {@link complete} has settled. */
export interface ObjectParts {
  /** Parts have one size, except the last one. */
  put(number: number, body: ObjectBody): Promise<void>
  complete(): Promise<void>
  abort(): Promise<void>
}

/**
 * The objects of a bucket. Every method tries again, with longer and longer pauses, where the storage is slow, full of work
 * or cut off in the midst of an answer, and gives up after a time of its own.
 *
 * @throws StorageError from every method
 */
export interface ObjectStore {
  /** The objects whose keys begin so, in the order of their keys. */
  list(prefix: string): AsyncIterable<ObjectEntry>
  /** All of a small object; undefined: there is none. */
  get(key: string): Promise<Buffer | undefined>
  /**
   * A part of an object; undefined: there is none.
   *
   * @param bytes the length of the whole: an object of another length is none of the caller's
   */
  read(key: string, position: number, length: number, bytes: number): Promise<Buffer | undefined>
  /** Stores a small object. */
  put(key: string, body: ObjectBody): Promise<void>
  begin(key: string): Promise<ObjectParts>
}
