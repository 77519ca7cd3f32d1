import { dirname } from 'node:path'
import type { FileSystem } from '../../../src/learning/disk/file-system.js'

/** The process has been killed: nothing that it does has an effect any more. */
export class Killed extends Error {}

interface FileNode {
  readonly type: 'file'
  bytes: Buffer
  /** What a power cut leaves. */
  durable: Buffer
}
interface LinkNode {
  readonly type: 'link'
  readonly target: string
}
interface FolderNode {
  readonly type: 'folder'
  names: Map<string, Node>
  durable: Map<string, Node>
  /** Names since then that came by renaming. */
  readonly renamed: Set<string>
}
type Node = FileNode | LinkNode | FolderNode

/** What is left of names and bytes that nobody made durable. */
export const CRASHES = {
  'kill -9: the system has everything': { names: true, bytes: 1 },
  'power cut: nothing': { names: false, bytes: 0 },
  'power cut: names alone': { names: true, bytes: 0 },
  'power cut: of the names those that were renamed': { names: 'renamed', bytes: 1 },
  'power cut: names and half of the bytes': { names: true, bytes: 0.5 },
  'power cut: bytes alone': { names: false, bytes: 1 },
} as const
export type Crash = (typeof CRASHES)[keyof typeof CRASHES]

/** Files in memory, which tell what is durable; the process is killed before a given operation that changes something. */
export class CrashFileSystem {
  /** Operations so far. */
  operations = 0
  /** Of which this one is not carried out, a write half. */
  killAt = Number.POSITIVE_INFINITY
  /** Bytes that the disk has. */
  capacity = Number.POSITIVE_INFINITY
  readonly #root: FolderNode
  readonly #open = new Map<number, Node>()
  #nextFile = 3

  constructor(
    root: FolderNode = { type: 'folder', names: new Map(), durable: new Map(), renamed: new Set() },
  ) {
    this.#root = root
  }

  /** The files as another process finds them after a crash. */
  after(crash: Crash): CrashFileSystem {
    return new CrashFileSystem(left(this.#root, crash) as FolderNode)
  }

  /** The same files, from here on apart. */
  copy(): CrashFileSystem {
    return this.after(CRASHES['kill -9: the system has everything'])
  }

  get fs(): FileSystem {
    return this as unknown as FileSystem
  }

  openSync(path: string, flags: string): number {
    const { folder, name } = this.#place(path)
    let node = path === '/' ? this.#root : folder.names.get(name)
    if (flags.startsWith('wx')) {
      if (node !== undefined) throw failed('EEXIST')
      this.#operation()
      node = { type: 'file', bytes: Buffer.alloc(0), durable: Buffer.alloc(0) }
      folder.names.set(name, node)
    }
    if (node === undefined) throw failed('ENOENT')
    this.#open.set(++this.#nextFile, node)
    return this.#nextFile
  }

  closeSync(file: number): void {
    if (!this.#open.delete(file)) throw failed('EBADF')
  }

  readSync(file: number, out: Uint8Array, offset: number, length: number, position: number): number {
    return this.#file(file).bytes.copy(out, offset, position, position + length)
  }

  writeSync(file: number, bytes: Uint8Array, offset: number, length: number, position: number): number {
    const node = this.#file(file)
    const some = bytes.subarray(offset, offset + length)
    const put = (part: Uint8Array) => {
      const grown = Buffer.alloc(Math.max(node.bytes.length, position + part.length))
      node.bytes.copy(grown)
      grown.set(part, position)
      node.bytes = grown
    }
    try {
      this.#operation()
    } catch (error) {
      if (this.operations === this.killAt + 1) put(some.subarray(0, some.length >> 1))
      throw error
    }
    const room = this.capacity - this.bytes
    if (room <= 0) throw failed('ENOSPC')
    const part = some.subarray(0, room)
    put(part)
    return part.length
  }

  ftruncateSync(file: number, length: number): void {
    this.#operation()
    const node = this.#file(file)
    node.bytes = Buffer.from(node.bytes.subarray(0, length))
  }

  fsyncSync(file: number): void {
    this.#operation()
    const node = this.#open.get(file)
    if (node?.type === 'folder') {
      node.durable = new Map(node.names)
      node.renamed.clear()
    } else if (node?.type === 'file') node.durable = Buffer.from(node.bytes)
  }

  fdatasyncSync(file: number): void {
    this.fsyncSync(file)
  }

  fstatSync(file: number) {
    return { size: this.#file(file).bytes.length }
  }

  lstatSync(path: string) {
    const node = this.#find(path)
    return { mtimeMs: Date.now(), size: node.type === 'file' ? node.bytes.length : 0 }
  }

  lutimesSync(): void {}

  mkdirSync(path: string, { recursive = false } = {}): void {
    const { folder, name } = this.#place(path, recursive)
    if (folder.names.has(name)) {
      if (recursive) return
      throw failed('EEXIST')
    }
    this.#operation()
    folder.names.set(name, { type: 'folder', names: new Map(), durable: new Map(), renamed: new Set() })
  }

  rmdirSync(path: string): void {
    this.#remove(path)
  }

  unlinkSync(path: string): void {
    this.#remove(path)
  }

  renameSync(from: string, to: string): void {
    const node = this.#find(from)
    const { folder, name } = this.#place(to)
    const there = folder.names.get(name)
    if (there?.type === 'folder' && there.names.size > 0) throw failed('ENOTEMPTY')
    this.#operation()
    const before = this.#place(from)
    before.folder.names.delete(before.name)
    folder.names.set(name, node)
    folder.renamed.add(name)
  }

  symlinkSync(target: string, path: string): void {
    const { folder, name } = this.#place(path)
    if (folder.names.has(name)) throw failed('EEXIST')
    this.#operation()
    folder.names.set(name, { type: 'link', target })
  }

  readlinkSync(path: string): string {
    const node = this.#find(path)
    if (node.type !== 'link') throw failed('EINVAL')
    return node.target
  }

  readFileSync(path: string): Buffer {
    return Buffer.from(this.#fileAt(path).bytes)
  }

  /** Puts other bytes into a file, as damage does. */
  replace(path: string, bytes: Uint8Array): void {
    this.#fileAt(path).bytes = Buffer.from(bytes)
  }

  readdirSync(path: string, { withFileTypes = false } = {}) {
    const node = path === '/' ? this.#root : this.#find(path)
    if (node.type !== 'folder') throw failed('ENOTDIR')
    if (!withFileTypes) return [...node.names.keys()]
    return [...node.names].map(([name, { type }]) => ({
      name,
      isDirectory: () => type === 'folder',
      isFile: () => type === 'file',
    }))
  }

  /** Bytes of all files. */
  get bytes(): number {
    const sum = (node: Node): number => {
      if (node.type === 'file') return node.bytes.length
      return node.type === 'link' ? 0 : [...node.names.values()].reduce((all, each) => all + sum(each), 0)
    }
    return sum(this.#root)
  }

  #operation(): void {
    if (this.operations++ >= this.killAt) throw new Killed()
  }

  #remove(path: string): void {
    this.#find(path)
    this.#operation()
    const { folder, name } = this.#place(path)
    folder.names.delete(name)
  }

  #file(file: number): FileNode {
    const node = this.#open.get(file)
    if (node?.type !== 'file') throw failed('EBADF')
    return node
  }

  #fileAt(path: string): FileNode {
    const node = this.#find(path)
    if (node.type !== 'file') throw failed('EISDIR')
    return node
  }

  #find(path: string): Node {
    const { folder, name } = this.#place(path)
    const node = folder.names.get(name)
    if (node === undefined) throw failed('ENOENT')
    return node
  }

  #place(path: string, recursive = false): { readonly folder: FolderNode; readonly name: string } {
    const names = dirname(path).split('/').filter(Boolean)
    let folder = this.#root
    for (const name of names) {
      let next = folder.names.get(name)
      if (next === undefined && recursive) {
        next = { type: 'folder', names: new Map(), durable: new Map(), renamed: new Set() }
        folder.names.set(name, next)
        folder.durable.set(name, next)
      }
      if (next?.type !== 'folder') throw failed('ENOENT')
      folder = next
    }
    return { folder, name: path.slice(path.lastIndexOf('/') + 1) }
  }
}

function left(node: Node, crash: Crash): Node {
  if (node.type === 'link') return node
  if (node.type === 'file') {
    const kept = node.durable.length + (node.bytes.length - node.durable.length) * crash.bytes
    const bytes = crash.bytes === 0 ? node.durable : node.bytes.subarray(0, Math.ceil(kept))
    return { type: 'file', bytes: Buffer.from(bytes), durable: Buffer.from(bytes) }
  }
  const kept = new Map(crash.names === true ? node.names : node.durable)
  if (crash.names === 'renamed') {
    for (const [name, each] of node.names) if (node.renamed.has(name)) kept.set(name, each)
  }
  const names = new Map([...kept].map(([name, each]) => [name, left(each, crash)]))
  return { type: 'folder', names, durable: new Map(names), renamed: new Set() }
}

function failed(code: string): Error {
  return Object.assign(new Error(code), { code })
}
