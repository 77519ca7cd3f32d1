interface Inputs {
  readonly width: number
  readonly inputIds: readonly (readonly number[])[]
  readonly tokenTypeIds?: readonly (readonly number[])[] | undefined
  readonly attentionMask?: readonly (readonly number[])[] | undefined
  readonly wordTable: Float32Array
  readonly typeTable?: Float32Array | undefined
  /** [T, C], of an additive scheme. */
  readonly positions?: Float32Array | undefined
  readonly layerNorm?: { epsilon: number; weight: Float32Array; bias: Float32Array } | undefined
}

const f = Math.fround

/** The input rows of an architecture, token by token, each step written out and rounded to float32. */
export function inputRows(architecture: string, inputs: Inputs): number[] {
  const { width, inputIds, wordTable } = inputs
  return inputIds.flatMap((ids, window) =>
    ids.flatMap((id, position) => {
      const row = (table: Float32Array, index: number) => [
        ...table.subarray(index * width, (index + 1) * width),
      ]
      let x = row(wordTable, id)
      if (['transformer', 'gemma', 'transformer_xl'].includes(architecture)) {
        x = x.map((value) => f(value * f(Math.sqrt(width))))
      }
      if (architecture === 'bert') {
        const types = row(inputs.typeTable!, inputs.tokenTypeIds?.[window]?.[position] ?? 0)
        x = x.map((value, c) => f(value + types[c]!))
      }
      if (inputs.positions) {
        const positions = row(inputs.positions, position)
        x = x.map((value, c) => f(value + positions[c]!))
      }
      if (['bert', 'bloom', 'deberta', 'deberta_v2'].includes(architecture)) {
        x = layerNorm(x, inputs.layerNorm!)
      }
      const hidden = inputs.attentionMask?.[window]?.[position] === 0
      return architecture.startsWith('deberta') && hidden ? x.map((value) => value * 0) : x
    }),
  )
}

function layerNorm(x: number[], { epsilon, weight, bias }: NonNullable<Inputs['layerNorm']>): number[] {
  const mean = x.reduce((sum, value) => sum + value, 0) / x.length
  const variance = x.reduce((sum, value) => sum + (value - mean) ** 2, 0) / x.length
  const scale = 1 / Math.sqrt(variance + epsilon)
  return x.map((value, c) => f((value - mean) * scale * weight[c]! + bias[c]!))
}
