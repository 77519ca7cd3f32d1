// The parts of WebAssembly's JavaScript interface that this project uses: TypeScript declares it for browsers only.
declare namespace WebAssembly {
  class Module {
    constructor(bytes: Uint8Array)
  }

  function compile(bytes: Uint8Array): Promise<Module>

  class Instance {
    constructor(module: Module, imports: Record<string, Record<string, unknown>>)
    readonly exports: unknown
  }

  class Memory<Shared extends boolean = true> {
    /** Sizes in pages of 64 KiB. */
    constructor(descriptor: { initial: number; maximum: number; shared: Shared })
    readonly buffer: Shared extends true ? SharedArrayBuffer : ArrayBuffer
  }

  class Global {
    readonly value: number
  }
}
