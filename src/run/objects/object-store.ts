/** An object of a bucket, as a listing tells it. */
export interface ObjectEntry {
  readonly key: string
  readonly bytes: number
  /** Its `ETag`: another one where its bytes have changed. */
  readonly tag: string
  /** Milliseconds since 1970. */
  readonly changed: number
}

/** Bytes to store. */
export interface ObjectBody {
  readonly bytes: Uint8Array
  /** Their SHA-256 in hexadecimal: the storage refuses other bytes under it. */
  readonly sha256: string
}

/** An object that is written in parts; it is there, whole, when {@link complete} has settled. */
export interface ObjectParts {
  /** Parts are of one size, all but the last one. */
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
