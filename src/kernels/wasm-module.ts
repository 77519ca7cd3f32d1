import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const compiled = new Map<string, WebAssembly.Module>()

/**
 * The compiled module `dist/kernels/NAME.wasm`, read and compiled once per thread.
 * It is found from `dist/kernels` and from `src/kernels` (TypeScript run as it is) alike.
 *
 * @throws Error when it has not been built
 */
function wasmModule(name: string): WebAssembly.Module {
  const known = compiled.get(name)
  if (known) return known
  const candidates = [`./${name}.wasm`, `../../dist/kernels/${name}.wasm`]
  const path = candidates.map((url) => fileURLToPath(new URL(url, import.meta.url))).find(existsSync)
  if (!path) throw new Error(`The kernel ${name}.wasm is not built: run npm run build:kernels.`)
  const module = new WebAssembly.Module(readFileSync(path))
  compiled.set(name, module)
  return module
}

/**
 * Exports of the module NAME, working on `memory`, or on its own where it brings one. Synchronous; AssemblyScript's
 * `abort` becomes an error.
 */
export function instantiate<Exports>(name: string, memory?: WebAssembly.Memory): Exports {
  const abort = () => {
    throw new Error(`The kernel ${name}.wasm aborted.`)
  }
  return new WebAssembly.Instance(wasmModule(name), { env: { memory, abort } }).exports as Exports
}
