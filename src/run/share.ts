/** Which part of the inputs a worker does: shard `index` of `count`. */
export interface Share {
  readonly index: number
  readonly count: number
}

/** A value that names no share. */
export class ShareError extends Error {}

type Env = Readonly<Record<string, string | undefined>>

/**
 * This worker's share, by what names it first: `--shard i/n`, INLET_SHARD, Slurm's array, Kubernetes' indexed Job. With
 * INLET_SHARDS, or JOB_COMPLETIONS, the scheduler's number alone counts, from 0: an array may then be repeated in part.
 * Without all of them one worker does everything.
 *
 * @param given the value of `--shard`
 * @throws ShareError naming the flag or the variable, the rule and the value
 */
export function shareOf(given: string | undefined, env: Env): Share {
  if (given !== undefined) return parsed('--shard', given)
  if (env.INLET_SHARD) return parsed('INLET_SHARD', env.INLET_SHARD)
  const countName = env.INLET_SHARDS ? 'INLET_SHARDS' : 'JOB_COMPLETIONS'
  const count = env[countName] ? integer(env, countName) : undefined
  if (count === 0) throw new ShareError(`${countName} must be at least 1. Given: 0`)
  for (const name of ['SLURM_ARRAY_TASK_ID', 'JOB_COMPLETION_INDEX'] as const) {
    if (!env[name]) continue
    if (count !== undefined) return within(name, integer(env, name), count)
    if (name === 'SLURM_ARRAY_TASK_ID') return ofArray(env)
    throw new ShareError(`INLET_SHARDS, the Job's completions, is needed beside ${name}. Given: nothing`)
  }
  return { index: 0, count: 1 }
}

/** The inputs of a share, in the order of their names: every `count`-th one. */
export function inputsOf(paths: readonly string[], { index, count }: Share): readonly string[] {
  return [...new Set(paths)].sort().filter((_, place) => place % count === index)
}

/** `2/8`: the third of eight. */
function parsed(source: string, given: string): Share {
  const [, index, count] = /^(\d{1,9})\/(\d{1,9})$/.exec(given) ?? []
  if (index === undefined || Number(index) >= Number(count)) {
    throw new ShareError(`${source} must be i/n with i from 0 to n − 1, as 0/8. Given: ${given}`)
  }
  return { index: Number(index), count: Number(count) }
}

/** A task of Slurm's array, `--array=MIN-MAX:STEP`. */
function ofArray(env: Env): Share {
  const [id, first, last, count] = (['ID', 'MIN', 'MAX', 'COUNT'] as const).map((name) =>
    integer(env, `SLURM_ARRAY_TASK_${name}`),
  ) as [number, number, number, number]
  const step = env.SLURM_ARRAY_TASK_STEP ? integer(env, 'SLURM_ARRAY_TASK_STEP') : 1
  if ((last - first) / step + 1 !== count) {
    const given = `${count} tasks from ${first} to ${last}, step ${step}`
    throw new ShareError(
      `SLURM_ARRAY_TASK_COUNT must be that of a whole range: INLET_SHARDS makes parts of an array possible. Given: ${given}`,
    )
  }
  return within('SLURM_ARRAY_TASK_ID', (id - first) / step, count, id)
}

function within(name: string, index: number, count: number, given = index): Share {
  if (Number.isInteger(index) && index >= 0 && index < count) return { index, count }
  throw new ShareError(`${name} must name one of ${count} shards. Given: ${given}`)
}

function integer(env: Env, name: string): number {
  const text = env[name] ?? ''
  if (/^\d{1,9}$/.test(text)) return Number(text)
  throw new ShareError(`${name} must be an integer from 0. Given: ${text || 'nothing'}`)
}
