import { addressOf, bodyTypeOf, type Taken } from './taken.js'

/** Media types of the files that a tensor can be kept as. */
export const FILE_TYPES = { npy: 'application/x-npy', safetensors: 'application/vnd.safetensors' } as const
export type FileType = keyof typeof FILE_TYPES

/** The answer of a call as the service writes it to a file. @throws Error with the service's message */
export async function fetchFile(taken: Taken, type: FileType, key: string): Promise<Blob> {
  const { body } = taken.call
  const headers: Record<string, string> = { accept: FILE_TYPES[type], 'content-type': bodyTypeOf(taken.call) }
  if (key !== '') headers.authorization = `Bearer ${key}`
  const content = typeof body === 'string' ? body : JSON.stringify(body)
  const response = await fetch(addressOf(taken), { method: 'POST', headers, body: content })
  if (response.ok) return response.blob()
  const answer = await response.json().catch(() => undefined)
  throw new Error(answer?.error?.message ?? `${response.status} ${response.statusText}`.trim())
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
