import { PCA } from 'ml-pca'

/** Rows to be laid flat. */
export interface PcaQuestion {
  readonly id: number
  readonly rows: readonly Float32Array[]
  /** The same rows in earlier versions of the table, the oldest first. */
  readonly before: readonly (readonly Float32Array[])[]
}

type Point = readonly [number, number]

/** Where each row lies on the first two components, and the part of the variance that each of these has. */
export interface PcaAnswer {
  readonly id: number
  readonly points: readonly Point[]
  /** Where the rows lay in the earlier versions, on the same map. */
  readonly before: readonly (readonly Point[])[]
  readonly variance: readonly [number, number]
}

/** The directions of the map before: where they have turned over, a map that goes on would leap. */
let directions: readonly (readonly number[])[] = []

addEventListener('message', ({ data: { id, rows, before } }: MessageEvent<PcaQuestion>) => {
  const pca = new PCA(rows.map((row) => Array.from(row)))
  const present = pca.getEigenvectors().transpose().to2DArray().slice(0, 2)
  const signs = present.map((direction, index) => signOf(direction, directions[index]))
  directions = present.map((direction, index) => direction.map((each) => signs[index] * each))
  const flat = (some: readonly Float32Array[]) =>
    pca
      .predict(
        some.map((row) => Array.from(row)),
        { nComponents: 2 },
      )
      .to2DArray()
      .map(([x = 0, y = 0]): Point => [signs[0] * x, (signs[1] ?? 1) * y])
  const [first = 0, second = 0] = pca.getExplainedVariance()
  postMessage({ id, points: flat(rows), before: before.map(flat), variance: [first, second] })
})

function signOf(direction: readonly number[], before: readonly number[] | undefined): 1 | -1 {
  return direction.reduce((sum, each, index) => sum + each * (before?.[index] ?? 0), 0) < 0 ? -1 : 1
}
