import { readFileSync } from 'node:fs'
import { setFlagsFromString } from 'node:v8'
import { packageFile } from '../package-file.js'

const compiled = new Map<string, WebAssembly.Module>()

/**
 * The compiled module `dist/kernels/NAME.wasm`, read and compiled once per thread.
 *
 * @throws Error if it has not been built
 */
function wasmModule(name: string): WebAssembly.Module {
  let module = compiled.get(name)
  if (module === undefined) {
    module = new WebAssembly.Module(readKernel(name))
    compiled.set(name, module)
  }
  return module
}

const optimizing = new Map<string, Promise<void>>()

/**
 * Compiles the module NAME with V8's optimizing compiler, in V8's own threads, before anything is instantiated. Without
 * this V8 optimizes a function once it has run for some time: until then it takes several times as long. The threads of
 * a process share what the first of them has compiled.
 */
export function optimizeKernel(name: string): Promise<void> {
  let done = optimizing.get(name)
  if (done === undefined) {
    done = compiled.has(name) ? Promise.resolve() : optimize(name)
    optimizing.set(name, done)
  }
  return done
}

async function optimize(name: string): Promise<void> {
  // V8 reads these when a compilation begins, which is some time after the call. Other modules that are compiled
  // meanwhile are optimized too.
  setFlagsFromString('--no-liftoff')
  setFlagsFromString('--no-wasm-lazy-compilation')
  try {
    compiled.set(name, await WebAssembly.compile(readKernel(name)))
  } finally {
    setFlagsFromString('--liftoff')
    setFlagsFromString('--wasm-lazy-compilation')
  }
}

function readKernel(name: string): Buffer {
  try {
    return readFileSync(packageFile(`dist/kernels/${name}.wasm`))
  } catch (cause) {
    throw new Error(`The kernel ${name}.wasm is not built: run npm run build:kernels.`, { cause })
  }
}

/**
 * Instantiates the module NAME with `memory`, or with its own memory if the module has one, and returns its
 * exports. Synchronous. AssemblyScript's `abort` becomes an error.
 */
export function instantiate<Exports>(name: string, memory?: WebAssembly.Memory): Exports {
  const abort = () => {
    throw new Error(`The kernel ${name}.wasm aborted.`)
  }
  return new WebAssembly.Instance(wasmModule(name), { env: { memory, abort } }).exports as Exports
}
