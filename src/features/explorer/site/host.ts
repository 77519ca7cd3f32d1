import { FILES } from './files.js'

/**
 * What the first layer takes from Node, in a browser: the build puts this file in the place of those that import it. A
 * host that sends no headers of isolation has no memory that threads share: each memory here is one thread's own.
 */

const strict = new TextDecoder('utf-8', { fatal: true })

export function isUtf8(bytes: Uint8Array): boolean {
  try {
    strict.decode(bytes)
    return true
  } catch {
    return false
  }
}

export function builtFile(name: string): Uint8Array {
  const file = FILES[name]
  if (file === undefined) throw new Error(`${name} is not in this build.`)
  return Uint8Array.from(atob(file), (character) => character.charCodeAt(0))
}

export async function loadBuiltFile(name: string): Promise<Uint8Array> {
  const response = await fetch(new URL(name, import.meta.url))
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`)
  return Buffer.from(await response.arrayBuffer())
}

export function newMemory(pages: number): object {
  return new WebAssembly.Memory<false>({ initial: pages, maximum: pages, shared: false })
}

export function countMemory(): void {}

const lenient = new TextDecoder('utf-8', { ignoreBOM: true })
const encoder = new TextEncoder()

/** The part of Node's Buffer that the first layer uses. */
class Bytes extends Uint8Array {
  static make(given: string | ArrayBuffer | Uint8Array, at?: number | string, length?: number): Bytes {
    if (given instanceof ArrayBuffer) return new Bytes(given, at as number | undefined, length)
    if (typeof given !== 'string') return new Bytes(given)
    if (at === 'latin1') return Bytes.from(given, (character) => character.charCodeAt(0)) as Bytes
    return new Bytes(encoder.encode(given).buffer)
  }

  toText(form = 'utf8', start = 0, end = this.length): string {
    const part = this.subarray(start, end)
    if (form !== 'latin1') return lenient.decode(part)
    return Array.from(part, (byte) => String.fromCharCode(byte)).join('')
  }

  copy(to: Uint8Array, at = 0): number {
    to.set(this, at)
    return this.length
  }

  writeUInt16LE(value: number, at: number): void {
    new DataView(this.buffer, this.byteOffset).setUint16(at, value, true)
  }

  writeBigUInt64LE(value: bigint, at: number): void {
    new DataView(this.buffer, this.byteOffset).setBigUint64(at, value, true)
  }
}
Object.assign(Bytes.prototype, { toString: Bytes.prototype.toText })

const zeroed = (length: number, fill = '\0') => new Bytes(length).fill(fill.charCodeAt(0))

const joined = (parts: readonly Uint8Array[]) => {
  const all = new Bytes(parts.reduce((sum, { length }) => sum + length, 0))
  let at = 0
  for (const part of parts) {
    all.set(part, at)
    at += part.length
  }
  return all
}

/** In the place of the global. */
export const Buffer = {
  ...{ from: Bytes.make, alloc: zeroed, allocUnsafe: zeroed, allocUnsafeSlow: zeroed, concat: joined },
  byteLength: (text: string) => encoder.encode(text).length,
}
