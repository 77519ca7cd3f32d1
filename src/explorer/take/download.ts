import { errorOf } from '../api/api-error.js'
import type { Call, Transport } from '../api/client.js'

/** What a tensor can be kept as. */
export const FILE_TYPES = { npy: 'application/x-npy', safetensors: 'application/vnd.safetensors' } as const
export type FileType = keyof typeof FILE_TYPES

/** The answer of a call as the service writes it to a file. @throws ApiError, or what the transport throws */
export async function fetchFile(transport: Transport, call: Call, type: FileType): Promise<Blob> {
  const response = await transport(call, FILE_TYPES[type])
  if (!response.ok) throw await errorOf(response)
  return response.blob()
}

/** Hands a file to the person before the page. */
export function keepFile(name: string, content: Blob): void {
  const address = URL.createObjectURL(content)
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
