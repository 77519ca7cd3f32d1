import { open, readFile, stat } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import type { Location } from './location.js'

/** Attempts of one request: the client pauses longer and longer between them. `AWS_MAX_ATTEMPTS` sets another number. */
const ATTEMPTS = 10
/** Pause before a body that was cut off is read again: so long after the first attempt, twice as long after the second. */
const PAUSE_MS = 100
const MOST_CONNECTIONS = 32
const CONNECT_MS = 3000
/** How long the storage may take to begin its answer, and how long it may then be silent. */
const ANSWER_MS = 60_000
const SILENT_MS = 20_000

/** Bytes of a part of a large object, unless it would have more parts than S3 takes. */
export const PART_BYTES = 1 << 23
const MOST_PARTS = 10_000

/**
 * Opens a bucket. The client takes keys, region and endpoint as all of Amazon's tools do: `AWS_…` variables, the shared
 * files, a role of the machine or the pod.
 */
export function openStore({ bucket }: Location): ObjectStore {
  const { env } = process
  env.AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED ??= 'true' // the client's version is fixed in the bundle
  const endpoint = endpointNow()
  const agent = { keepAlive: true, maxSockets: MOST_CONNECTIONS }
  const times = { connectionTimeout: CONNECT_MS, requestTimeout: ANSWER_MS, socketTimeout: SILENT_MS }
  const attempts = Number(env.AWS_MAX_ATTEMPTS ?? ATTEMPTS)
  const client = new S3Client({
    maxAttempts: attempts,
    // Servers other than Amazon's expect the bucket's name in the path, not before the host's, and take any region.
    forcePathStyle: env.S3_PATH_STYLE === undefined ? endpoint !== '' : env.S3_PATH_STYLE === 'on',
    ...(endpoint !== '' && { region: env.AWS_REGION ?? env.AWS_DEFAULT_REGION ?? 'us-east-1' }),
    requestHandler: { ...times, throwOnRequestTimeout: true, httpAgent: agent, httpsAgent: agent },
    // The client sends bodies with their SHA-256; not every server knows further checksums.
    ...(!env.AWS_REQUEST_CHECKSUM_CALCULATION && { requestChecksumCalculation: 'WHEN_REQUIRED' }),
    ...(!env.AWS_RESPONSE_CHECKSUM_VALIDATION && { responseChecksumValidation: 'WHEN_REQUIRED' }),
  })
  return new ObjectStore(client, bucket, attempts)
}

const stores = new Map<string, ObjectStore>()

/** The bucket's store, opened once in each thread. */
export function storeOf(location: Location): ObjectStore {
  const name = `${endpointNow()} ${location.bucket}`
  const store = stores.get(name) ?? openStore(location)
  stores.set(name, store)
  return store
}

function endpointNow(): string {
  return process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL ?? ''
}

/**
 * The objects of a bucket, read and written by S3's protocol. Every method tries again, with longer and longer pauses, if the
 * storage is slow, busy, or cut off in the middle of an answer, and gives up after a time of its own with a StorageError.
 */
export class ObjectStore {
  constructor(
    private readonly client: S3Client,
    private readonly bucket: string,
    private readonly attempts: number,
  ) {}

  /** The objects whose keys begin so, in the order of their keys. */
  async *list(prefix: string): AsyncGenerator<{ readonly key: string; readonly bytes: number }, void, void> {
    let after: string | undefined
    do {
      const asked = { Bucket: this.bucket, Prefix: prefix, ContinuationToken: after }
      const page = await told(this.client.send(new ListObjectsV2Command(asked)))
      for (const { Key: key = '', Size: bytes = 0 } of page.Contents ?? []) yield { key, bytes }
      after = page.IsTruncated === true ? page.NextContinuationToken : undefined
    } while (after !== undefined)
  }

  /** An object's length, and its `ETag`, which differs if its bytes have changed; undefined: there is none. */
  async head(Key: string): Promise<{ readonly bytes: number; readonly tag: string } | undefined> {
    const head = await found(this.client.send(new HeadObjectCommand({ Bucket: this.bucket, Key })))
    return head && { bytes: head.ContentLength ?? 0, tag: head.ETag ?? '' }
  }

  /**
   * The bytes of an object, or of a range of it; undefined: there is none. The client sends a request again until it has
   * the head of an answer; a body that is cut off after that is asked for again here.
   *
   * @param IfMatch the `ETag` that the object must have: else it {@link hasChanged}
   */
  async get(Key: string, Range?: string, IfMatch?: string): Promise<Buffer | undefined> {
    for (let attempt = 1; ; attempt++) {
      const command = new GetObjectCommand({ Bucket: this.bucket, Key, Range, IfMatch })
      const answer = await found(this.client.send(command))
      if (answer === undefined) return undefined
      try {
        return Buffer.from((await answer.Body!.transformToByteArray()).buffer)
      } catch {
        if (attempt >= this.attempts) throw new StorageError('a body cut off')
        await pause(PAUSE_MS * 2 ** (attempt - 1))
      }
    }
  }

  async put(Key: string, Body: Uint8Array, abortSignal?: AbortSignal): Promise<void> {
    const command = new PutObjectCommand({ Bucket: this.bucket, Key, Body })
    await told(this.client.send(command, { abortSignal }), abortSignal)
  }

  /** Stores a local file: a small one at once, a large one in parts. The object is there when this settles, or not at all. */
  async putFile(Key: string, path: string, abortSignal?: AbortSignal): Promise<void> {
    const { size } = await stat(path)
    if (size <= PART_BYTES) return this.put(Key, await readFile(path), abortSignal)
    const { bucket: Bucket, client } = this
    const { UploadId } = await told(client.send(new CreateMultipartUploadCommand({ Bucket, Key })))
    const upload = { Bucket, Key, UploadId }
    await using file = await open(path)
    try {
      const Parts: { readonly PartNumber: number; readonly ETag: string | undefined }[] = []
      const partBytes = Math.max(PART_BYTES, Math.ceil(size / MOST_PARTS))
      for (let at = 0; at < size; at += partBytes) {
        const Body = Buffer.allocUnsafeSlow(Math.min(partBytes, size - at))
        await file.read(Body, 0, Body.length, at)
        const PartNumber = Parts.length + 1
        const command = new UploadPartCommand({ ...upload, PartNumber, Body })
        const { ETag } = await told(client.send(command, { abortSignal }), abortSignal)
        Parts.push({ PartNumber, ETag })
      }
      const command = new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts } })
      await told(client.send(command)).catch(async (error) => {
        // An earlier attempt may have completed the upload, and its answer was lost.
        if (!isMissing(error) || (await this.head(Key)) === undefined) throw error
      })
    } catch (error) {
      await told(client.send(new AbortMultipartUploadCommand(upload))).catch(() => {}) // the first error is the one to tell
      throw error
    }
  }

  /** Whether there is an object whose key begins so. */
  async has(prefix: string): Promise<boolean> {
    for await (const _ of this.list(prefix)) return true
    return false
  }
}

/** A bucket cannot be read or written now. */
class StorageError extends Error {
  /** @param word what the storage said: its status and a code, never its message, which may have keys in it */
  constructor(
    readonly word: string,
    readonly status?: number,
  ) {
    super(`The object storage does not do what it is asked (${word}).`)
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof StorageError && error.status === 404
}

/** Whether a read failed because the object has another `ETag` now. */
export function hasChanged(error: unknown): boolean {
  return error instanceof StorageError && error.status === 412
}

/** The answer; undefined: there is no such object. */
async function found<Answer>(answer: Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await told(answer)
  } catch (error) {
    if (!isMissing(error) || (error as StorageError).word.endsWith('NoSuchBucket')) throw error
    return undefined
  }
}

/** @throws StorageError, the signal's reason */
async function told<Answer>(answer: Promise<Answer>, signal?: AbortSignal): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    signal?.throwIfAborted()
    const { name, code, $metadata } = error as Error & {
      readonly code?: unknown
      readonly $metadata?: { readonly httpStatusCode?: number }
    }
    if (name === 'AbortError' || name === 'TimeoutError') throw new StorageError('no answer in time')
    const status = $metadata?.httpStatusCode
    const word = [name, code].find((text) => /^[A-Z]\w{2,60}$/.test(String(text)) && text !== 'Error')
    const words = [status, word ?? (status === undefined ? 'no answer' : undefined)]
    throw new StorageError(words.filter((part) => part !== undefined).join(' '), status)
  }
}
