import { builtFile } from '../package-file.js'

/** The kernels' numbers for storage types. */
export const STORAGE = { float32: 0, float16: 1, bfloat16: 2 } as const

/** Turns `count` elements at `input` into `count` of another type at `out`. The two do not overlap. */
export type Convert = (out: number, input: number, count: number) => void

/**
 * The inner loops, which take most of the time. Pointers are byte offsets into the memory given to
 * {@link instantiateKernels}; float outputs are float32, ids int32, little-endian as all of WebAssembly.
 */
export interface Kernels {
  /**
   * `out[i, :] = table[ids[i], :] + positions[positionStart + (firstRow + i) mod contextLength, :]` for `rows` rows
   * of `dim` numbers. Table and positions each have a {@link STORAGE} type: they are widened, which is exact, and
   * added in float32. A `positions` of 0 adds none. The ids are not checked: an id beyond the table reads the memory
   * behind it.
   */
  embedRows(
    out: number,
    table: number,
    tableType: number,
    ids: number,
    rows: number,
    dim: number,
    positions: number,
    positionType: number,
    positionStart: number,
    firstRow: number,
    contextLength: number,
  ): void
  /** Rows of `rowBytes` bytes, an even number, as they are: NaN keeps its bits. */
  copyRows(out: number, table: number, ids: number, rows: number, rowBytes: number): void

  /**
   * out [n, H] = rows [n, C] · weight [H, C]ᵀ + bias [H], summed in float32; weight and bias are stored in
   * {@link STORAGE} types. A `bias` of 0 adds none; `scratch` has room for C float32 numbers.
   */
  projectRows(
    out: number,
    rows: number,
    count: number,
    width: number,
    weight: number,
    weightType: number,
    bias: number,
    biasType: number,
    hiddenSize: number,
    scratch: number,
  ): void

  /** float32 → float16, rounded to nearest even: ±Infinity beyond 65519.99, NaN as 0x7e00 with its sign. `out` may be `input`. */
  narrowFloat16: Convert
  /** float32 → bfloat16, rounded to nearest even, NaN as 0x7fc0. `out` may be `input`. */
  narrowBfloat16: Convert
  /** float16 → float32, exact. */
  widenFloat16: Convert
  /** bfloat16 → float32, exact. */
  widenBfloat16: Convert
}

/** The kernels, working on a model's memory. Synchronous; the module is compiled once per thread. */
export function instantiateKernels(memory: WebAssembly.Memory): Kernels {
  return instantiate<Kernels>('model', memory)
}

const compiled = new Map<string, WebAssembly.Module>()

/**
 * The compiled module `dist/kernels/NAME.wasm`, read and compiled once per thread.
 *
 * @throws Error if it has not been built
 */
function wasmModule(name: string): WebAssembly.Module {
  let module = compiled.get(name)
  if (module === undefined) {
    module = new WebAssembly.Module(builtFile(`kernels/${name}.wasm`))
    compiled.set(name, module)
  }
  return module
}

/**
 * Instantiates the module NAME with `memory`, or with its own memory if the module has one, and returns its
 * exports. Synchronous. AssemblyScript's `abort` becomes an error.
 */
export function instantiate<Exports>(name: string, memory?: WebAssembly.Memory): Exports {
  const abort = () => {
    throw new Error(`The kernel ${name}.wasm aborted.`)
  }
  return new WebAssembly.Instance(wasmModule(name), { env: memory ? { memory, abort } : { abort } })
    .exports as Exports
}
