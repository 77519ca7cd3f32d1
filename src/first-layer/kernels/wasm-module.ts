import { readFileSync } from 'node:fs'
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

function readKernel(name: string): Buffer {
  try {
    return readFileSync(packageFile(`dist/kernels/${name}.wasm`))
  } catch (cause) {
    throw new Error(`The kernel ${name}.wasm is not built: run npm run build.`, { cause })
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
