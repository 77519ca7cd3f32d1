import type { FastifyRequest } from 'fastify'
import { bodyTooLarge } from '../../../service/answer/send-encoded.js'
import {
  checkFileLength,
  cutOff,
  FileReader,
  invalidFile,
  readHead,
} from '../../../service/request/body/file-reader.js'
import { bodyChunks, checkContentLength } from '../../../service/request/body/read-body.js'

export interface FileLimits {
  /** Bytes of the whole file. */
  readonly file: number
  /** Bytes of the JSON of its header. */
  readonly header: number
}

/**
 * Receives a safetensors file as it is.
 *
 * @param place gives memory for a file of so many bytes
 * @returns the SHA-256 of the file, in hex
 * @throws InletError `invalid_request` for a file that is not safetensors or not whole, `body_too_large`, and as `place`
 */
export async function receiveFile(
  request: FastifyRequest,
  limits: FileLimits,
  place: (bytes: number) => Promise<Uint8Array>,
): Promise<string> {
  checkContentLength(request, limits.file)
  const file = new FileReader(bodyChunks(request, limits.file), request.claim)
  try {
    const head = await readHead(file, request.claim, limits.header)
    checkFileLength(request, head)
    const { header, bytes, raw } = head
    const length = bytes + header.dataBytes
    if (length > limits.file) throw bodyTooLarge(limits.file, length)
    const target = await place(length)
    target.set(raw)
    for (const { name, start, end } of header.tensors) {
      const missing = end - start - (await file.fill(target.subarray(bytes + start, bytes + end)))
      if (missing > 0) throw cutOff(name, missing)
    }
    if (!(await file.isAtEnd())) throw invalidFile('Bytes follow the last tensor.')
    return file.digest()
  } finally {
    await file.close()
  }
}
