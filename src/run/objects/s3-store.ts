import { open } from 'node:fs/promises'
import { setTimeout as pause } from 'node:timers/promises'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
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

const MAX_WHOLE_BYTES = 1 << 22
/** Bytes of a part of a large object, which has at most 10,000 parts. */
export const PART_BYTES = 1 << 23
const MAX_BYTES = 10_000 * PART_BYTES

export interface ObjectEntry {
  readonly key: string
  readonly bytes: number
  /** The object's `ETag`: it differs if the bytes have changed. */
  readonly tag: string
  /** Milliseconds since 1970. */
  readonly changed: number
}

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
  async *list(prefix: string): AsyncGenerator<ObjectEntry, void, void> {
    let after: string | undefined
    do {
      const asked = { Bucket: this.bucket, Prefix: prefix, ContinuationToken: after }
      const page = await told(this.client.send(new ListObjectsV2Command(asked)))
      for (const { Key: key = '', Size: bytes = 0, ETag: tag = '', LastModified } of page.Contents ?? [])
        yield { key, bytes, tag, changed: LastModified?.getTime() ?? 0 }
      after = page.IsTruncated === true ? page.NextContinuationToken : undefined
    } while (after !== undefined)
  }

  /** All of a small object; undefined: there is none. */
  get(key: string): Promise<Buffer | undefined> {
    return this.#read(key, undefined, ({ ContentLength: length = 0 }) =>
      length <= MAX_WHOLE_BYTES ? undefined : `${key} has ${length} bytes: too many for what it is.`,
    )
  }

  /**
   * A part of an object; undefined: there is none.
   *
   * @param bytes the length of the whole: an object of another length is none of the caller's
   */
  read(key: string, position: number, length: number, bytes: number): Promise<Buffer | undefined> {
    const range = `${position}-${position + length - 1}`
    const expected = `bytes ${range}/${bytes}`
    return this.#read(key, `bytes=${range}`, ({ ContentRange: given }) =>
      given === expected
        ? undefined
        : `${key} must be read by ranges of ${bytes} bytes: ${expected}. Given: ${given}`,
    )
  }

  async put(Key: string, Body: Uint8Array, abortSignal?: AbortSignal): Promise<void> {
    const command = new PutObjectCommand({ Bucket: this.bucket, Key, Body })
    await told(this.client.send(command, { abortSignal }))
  }

  /** Stores a local file: a small one at once, a large one in parts. The object is there when this settles, or not at all. */
  async putFile(key: string, path: string, signal?: AbortSignal): Promise<void> {
    const file = await open(path)
    try {
      const { size } = await file.stat()
      const partAt = async (at: number) => {
        signal?.throwIfAborted()
        const part = Buffer.allocUnsafeSlow(Math.min(PART_BYTES, size - at))
        const { bytesRead } = await file.read(part, 0, part.length, at)
        if (bytesRead < part.length) throw new Error(`${path} has become shorter than it was.`)
        return part
      }
      if (size <= PART_BYTES) await this.put(key, await partAt(0), signal)
      else await this.#putParts(key, size, partAt, signal)
    } catch (error) {
      signal?.throwIfAborted()
      throw error
    } finally {
      await file.close()
    }
  }

  async #putParts(
    Key: string,
    size: number,
    partAt: (at: number) => Promise<Uint8Array>,
    abortSignal?: AbortSignal,
  ): Promise<void> {
    if (size > MAX_BYTES)
      throw new Error(`An object of a bucket must be at most ${MAX_BYTES} bytes. Given: ${size}`)
    const { bucket: Bucket, client } = this
    const { UploadId } = await told(client.send(new CreateMultipartUploadCommand({ Bucket, Key })))
    const place = { Bucket, Key, UploadId }
    try {
      const Parts: { readonly PartNumber: number; readonly ETag: string | undefined }[] = []
      for (let at = 0; at < size; at += PART_BYTES) {
        const PartNumber = Parts.length + 1
        const command = new UploadPartCommand({ ...place, PartNumber, Body: await partAt(at) })
        const { ETag } = await told(client.send(command, { abortSignal }))
        Parts.push({ PartNumber, ETag })
      }
      const command = new CompleteMultipartUploadCommand({ ...place, MultipartUpload: { Parts } })
      await told(client.send(command)).catch(async (error) => {
        // An earlier attempt may have completed the upload, and its answer was lost.
        const { value: first } = await this.list(Key).next()
        if (!isMissing(error) || first?.key !== Key) throw error
      })
    } catch (error) {
      await told(client.send(new AbortMultipartUploadCommand(place))).catch(() => {}) // the first error is the one to tell
      throw error
    }
  }

  /** Whether there is an object whose key begins so. */
  async has(prefix: string): Promise<boolean> {
    for await (const _ of this.list(prefix)) return true
    return false
  }

  /**
   * The bytes of an object, or of a range of it; undefined: there is none. The client sends a request again until it has
   * the head of an answer; a body that is cut off after that is asked for again here.
   *
   * @param wrong the fault of an answer that is not of the caller's object
   */
  async #read(
    key: string,
    Range: string | undefined,
    wrong: (answer: GetObjectCommandOutput) => string | undefined,
  ): Promise<Buffer | undefined> {
    for (let attempt = 1; ; attempt++) {
      const command = new GetObjectCommand({ Bucket: this.bucket, Key: key, Range })
      const answer = await told(this.client.send(command)).catch((error) => {
        if (!isMissing(error) || error.word.endsWith('NoSuchBucket')) throw error
      })
      if (answer === undefined) return undefined
      const body = answer.Body as NodeJS.ReadableStream & NonNullable<typeof answer.Body>
      const fault = wrong(answer)
      if (fault !== undefined) {
        if ('destroy' in body) body.destroy()
        throw new Error(fault)
      }
      try {
        return Buffer.from((await body.transformToByteArray()).buffer)
      } catch {
        if (attempt >= this.attempts) throw new StorageError('a body cut off')
        await pause(PAUSE_MS * 2 ** (attempt - 1))
      }
    }
  }
}

/** A bucket cannot be read or written now. */
class StorageError extends Error {
  /** @param word what the storage said: its status and a code, never its message, which may have keys in it */
  constructor(
    readonly word: string,
    isRefused = false,
    readonly status?: number,
  ) {
    const fact = isRefused ? 'refuses what it is asked' : 'does not answer as it should'
    super(`The object storage ${fact} (${word}).`)
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof StorageError && error.status === 404
}

const OWN = ['CredentialsProviderError', 'TokenProviderError']

async function told<Answer>(answer: Promise<Answer>): Promise<Answer> {
  try {
    return await answer
  } catch (error) {
    const { name, code, $metadata } = error as Error & {
      readonly code?: unknown
      readonly $metadata?: { readonly httpStatusCode?: number }
    }
    if (name === 'AbortError' || name === 'TimeoutError') throw new StorageError('no answer in time')
    const status = $metadata?.httpStatusCode
    const word = [name, code].find((text) => /^[A-Z]\w{2,60}$/.test(String(text)) && text !== 'Error')
    const words = [status, word ?? (status === undefined ? 'no answer' : undefined)]
    const isRefused =
      status === undefined ? OWN.includes(name) : status < 500 && status !== 408 && status !== 429
    throw new StorageError(words.filter((part) => part !== undefined).join(' '), isRefused, status)
  }
}
