import { LENGTH_BYTES } from '../../first-layer/tensors/safetensors/header.js'
import type { ReadableFile } from '../checkpoint-files.js'
import { HubError, PassingError } from './errors.js'
import { checkSame, type FileState, stateOf } from './file-state.js'
import type { HubAnswer } from './hub.js'
import { type RemotePlace, resolvePath } from './remote-place.js'
import { Retries } from './retries.js'
import { collected } from './whole-file.js'

/** A file of a repository, read in parts by Range. All answers must be of one state of the file. */
export class RemoteFile implements ReadableFile {
  #state: FileState | undefined
  #first: Promise<Buffer> | undefined

  constructor(private readonly place: RemotePlace) {}

  /** Known with the file's first bytes. */
  async state(): Promise<FileState & { readonly bytes: number }> {
    await this.#beginning()
    const { etag, served, bytes } = this.#state ?? {}
    if (bytes === undefined) throw this.#refuse('has an unknown size: Content-Range is needed')
    return { etag, served, bytes }
  }

  async stat(): Promise<{ readonly size: number }> {
    return { size: (await this.state()).bytes }
  }

  async read(bytes: Uint8Array, offset: number, length: number, position: number) {
    if (position === 0 && length <= LENGTH_BYTES) {
      bytes.set((await this.#beginning()).subarray(0, length), offset)
      return { bytesRead: length }
    }
    let done = 0
    for await (const chunk of this.part(position, position + length)) {
      bytes.set(chunk, offset + done)
      done += chunk.length
    }
    return { bytesRead: done }
  }

  /** The bytes of the header's length, which are fetched first and kept. */
  #beginning(): Promise<Buffer> {
    const tooLong = this.#refuse(`sends more than the first ${LENGTH_BYTES} bytes`)
    this.#first ??= collected(this.part(0, LENGTH_BYTES), LENGTH_BYTES, tooLong)
    return this.#first
  }

  async close(): Promise<void> {}

  /**
   * The bytes from `start` up to, not including, `end`. Resumes a broken connection where it broke, as long as the file is
   * the same (`If-Range`).
   *
   * @throws HubError if the file changes, or the server sends other bytes than requested
   */
  async *part(start: number, end: number): AsyncGenerator<Uint8Array, void, void> {
    const retries = new Retries(this.place.hub)
    for (let at = start; at < end; ) {
      try {
        for await (const chunk of this.#once(at, end)) {
          at += chunk.length
          retries.progress()
          yield chunk
        }
        if (at < end) throw new PassingError(`${this.#name} broke off at byte ${at} of ${end}.`)
      } catch (error) {
        await retries.after(error)
      }
    }
  }

  async *#once(start: number, end: number): AsyncGenerator<Uint8Array, void, void> {
    const { served } = this.#state ?? {}
    const answer = await this.#ask({
      range: `bytes=${start}-${end - 1}`,
      ...(served?.startsWith('"') && { 'if-range': served }),
    })
    try {
      this.#check(answer, start, end)
    } catch (error) {
      await answer.cancel()
      throw error
    }
    let left = end - start
    for await (const chunk of answer.chunks()) {
      if (chunk.length > left) throw this.#refuse(`sends more than the bytes ${start} to ${end - 1}`)
      left -= chunk.length
      this.place.received(chunk.length)
      yield chunk
    }
  }

  #check(answer: HubAnswer, start: number, end: number): void {
    const state = stateOf(answer, this.#name, this.place.commit)
    if (this.#state !== undefined) checkSame(this.#state, state, this.#name)
    if (answer.status !== 206) throw this.#refuse('is sent whole: its server must answer byte ranges')
    const range = answer.headers.get('content-range') ?? 'nothing'
    if (!range.startsWith(`bytes ${start}-${end - 1}/`)) {
      throw this.#refuse(`must send the bytes ${start} to ${end - 1}. Given: ${range}`)
    }
    this.#state = state
  }

  #ask(headers: Readonly<Record<string, string>>): Promise<HubAnswer> {
    const { hub, repository, commit, file } = this.place
    return hub.get(resolvePath(repository, commit, file), hub.asked(repository, commit, file), headers)
  }

  get #name(): string {
    return `${this.place.file} of ${this.place.repository}`
  }

  #refuse(problem: string): HubError {
    return new HubError(`${this.#name} ${problem}.`)
  }
}
