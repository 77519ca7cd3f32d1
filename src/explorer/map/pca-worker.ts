import { PCA } from 'ml-pca'

/** Rows to be laid flat. */
export interface PcaQuestion {
  readonly id: number
  readonly rows: readonly Float32Array[]
}

/** Where each row lies on the first two components, and the part of the variance that each of these has. */
export interface PcaAnswer {
  readonly id: number
  readonly points: readonly (readonly [number, number])[]
  readonly variance: readonly [number, number]
}

addEventListener('message', ({ data: { id, rows } }: MessageEvent<PcaQuestion>) => {
  const values = rows.map((row) => Array.from(row))
  const pca = new PCA(values)
  const points = pca.predict(values, { nComponents: 2 }).to2DArray()
  const [first = 0, second = 0] = pca.getExplainedVariance()
  postMessage({ id, points: points.map(([x = 0, y = 0]) => [x, y]), variance: [first, second] })
})
