import fc from 'fast-check'

/**
 * Checks a property over `runs` random inputs. The seed is printed, so that a failure can be had again:
 * `FAST_CHECK_SEED=123 npx vitest run …`. `FAST_CHECK_TIMES=100` tries a hundred times as many.
 */
export async function checkProperty<Input>(
  property: fc.IAsyncProperty<Input> | fc.IProperty<Input>,
  runs: number,
): Promise<void> {
  const seed = Number(process.env.FAST_CHECK_SEED ?? Date.now() % 2 ** 31)
  console.info(`fast-check seed ${seed}: FAST_CHECK_SEED=${seed} repeats this run`)
  await fc.assert(property, { seed, numRuns: times(runs) })
}

/** How often a test tries something random: the nightly run does so twenty times as often. */
export function times(count: number): number {
  return count * Number(process.env.FAST_CHECK_TIMES ?? 1)
}

/** The step through a row of cases of which every `step`-th is enough for every change: the nightly run takes each. */
export function stride(step: number): number {
  return Math.max(1, Math.floor(step / times(1)))
}
