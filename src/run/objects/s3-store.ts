import type { Readable } from 'node:stream'
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  GetObjectCommand,
  type GetObjectCommandOutput,
  ListObjectsV2Command,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'
import type { ObjectBody, ObjectEntry, ObjectParts, ObjectStore } from './object-store.js'
import { type Patience, Retries } from './retries.js'
import { bodyBytes } from './s3-body.js'
import { failureOf, isStatus, OtherObject } from './s3-failures.js'

/** Of what a request of the service waits for. */
const READING: Patience = { tryMs: 4000, allMs: 10_000 }
/** Of many bytes on their way up, or down for nobody's request. */
const TRANSFER: Patience = { tryMs: 60_000, allMs: 120_000 }

/** Bytes from which on a read has the time of a transfer. */
const LONG_BYTES = 1 << 20

/** Bytes of the largest object that is read at once. */
const MAX_WHOLE_BYTES = 1 << 22

/** The objects of a bucket behind S3's protocol. */
export class S3Store implements ObjectStore {
  readonly #reads = new Retries(failureOf)
  readonly #writes = new Retries(failureOf)

  constructor(
    private readonly client: S3Client,
    private readonly bucket: string,
  ) {}

  async *list(prefix: string): AsyncGenerator<ObjectEntry, void, void> {
    let after: string | undefined
    do {
      const page = await this.#reads.run(READING, (abortSignal) =>
        this.client.send(
          new ListObjectsV2Command({ Bucket: this.bucket, Prefix: prefix, ContinuationToken: after }),
          { abortSignal },
        ),
      )
      for (const { Key: key = '', Size: bytes = 0, ETag: tag = '', LastModified: changed } of page.Contents ??
        [])
        yield { key, bytes, tag, changed: changed?.getTime() ?? 0 }
      after = page.IsTruncated === true ? page.NextContinuationToken : undefined
    } while (after !== undefined)
  }

  get(key: string): Promise<Buffer | undefined> {
    return this.#get(key, undefined, READING, async (body, { ContentLength: length = 0 }, signal) => {
      if (length <= MAX_WHOLE_BYTES) return bodyBytes(body, length, signal)
      body.destroy()
      throw new OtherObject(`${key} has ${length} bytes: too many for what it is.`)
    })
  }

  read(key: string, position: number, length: number, bytes: number): Promise<Buffer | undefined> {
    const range = `bytes ${position}-${position + length - 1}/${bytes}`
    return this.#get(
      key,
      range,
      length > LONG_BYTES ? TRANSFER : READING,
      async (body, { ContentRange: given }, signal) => {
        if (given === range) return bodyBytes(body, length, signal)
        body.destroy()
        throw new OtherObject(`${key} must be read by ranges of ${bytes} bytes: ${range}. Given: ${given}`)
      },
    )
  }

  async put(key: string, { bytes, sha256 }: ObjectBody): Promise<void> {
    await this.#writes.run(TRANSFER, (abortSignal) => {
      const command = new PutObjectCommand({ Bucket: this.bucket, Key: key, Body: bytes })
      return this.client.send(hashed(command, sha256), { abortSignal })
    })
  }

  async begin(key: string): Promise<ObjectParts> {
    const { bucket: Bucket, client } = this
    const writing = <Result>(work: (abortSignal: AbortSignal) => Promise<Result>) =>
      this.#writes.run(TRANSFER, work)
    const { UploadId } = await writing((abortSignal) =>
      client.send(new CreateMultipartUploadCommand({ Bucket, Key: key }), { abortSignal }),
    )
    const place = { Bucket, Key: key, UploadId }
    const parts: { readonly PartNumber: number; readonly ETag: string | undefined }[] = []
    return {
      async put(PartNumber, { bytes, sha256 }) {
        const command = new UploadPartCommand({ ...place, PartNumber, Body: bytes })
        const { ETag } = await writing((abortSignal) => client.send(hashed(command, sha256), { abortSignal }))
        parts.push({ PartNumber, ETag })
      },
      complete: async () => {
        await writing(async (abortSignal) => {
          const command = new CompleteMultipartUploadCommand({ ...place, MultipartUpload: { Parts: parts } })
          try {
            await client.send(command, { abortSignal })
          } catch (error) {
            // A try before may have completed it, though its answer was lost.
            if (!isStatus(error, 404) || !(await this.#isThere(key))) throw error
          }
        })
      },
      async abort() {
        await writing((abortSignal) =>
          client.send(new AbortMultipartUploadCommand(place), { abortSignal }).catch((error) => {
            if (!isStatus(error, 404)) throw error
          }),
        )
      },
    }
  }

  /** @param range as `Content-Range` will say it; undefined: all */
  #get(
    key: string,
    range: string | undefined,
    patience: Patience,
    take: (body: Readable, answer: GetObjectCommandOutput, signal: AbortSignal) => Promise<Buffer>,
  ): Promise<Buffer | undefined> {
    const Range = range?.replace(' ', '=').replace(/\/.*/, '')
    return this.#reads.run(patience, async (abortSignal) => {
      try {
        const command = new GetObjectCommand({ Bucket: this.bucket, Key: key, Range })
        const answer = await this.client.send(command, { abortSignal })
        return await take(answer.Body as Readable, answer, abortSignal)
      } catch (error) {
        if (isStatus(error, 404) && (error as Error).name !== 'NoSuchBucket') return undefined
        throw error
      }
    })
  }

  async #isThere(key: string): Promise<boolean> {
    for await (const entry of this.list(key)) return entry.key === key
    return false
  }
}

/** Sends a body under a hash that is known: the client would take it again, all at once. */
function hashed<Command extends PutObjectCommand | UploadPartCommand>(
  command: Command,
  sha256: string,
): Command {
  const { middlewareStack } = command as PutObjectCommand
  middlewareStack.add(
    (next) => (args) => {
      const { headers } = args.request as { headers: Record<string, string> }
      headers['x-amz-content-sha256'] = sha256
      return next(args)
    },
    { step: 'build', name: 'knownHash' },
  )
  return command
}
