/** Prints the share that was noticed in each room, and the survivors. @returns the share of all, in percent */
export function report(tried) {
  const percent = (mutants) => {
    const noticed = mutants.filter(({ outcome }) => outcome !== 'survived').length
    console.log(`${noticed} of ${mutants.length} noticed: ${((100 * noticed) / mutants.length).toFixed(1)} %`)
    return (100 * noticed) / mutants.length
  }
  const byRoom = grouped(tried)
  for (const [name, mutants] of byRoom) {
    process.stdout.write(`${name.padEnd(24)} `)
    percent(mutants)
  }
  process.stdout.write('all                      ')
  const share = percent(tried)
  for (const mutant of tried) if (mutant.outcome === 'survived') console.log(`  ${shown(mutant)}`)
  return share
}

/** `http`, `first-layer/tokens`: as --rooms names it, but for the room that holds others. */
function room({ file }) {
  const [, name, inner, ...rest] = file.split('/')
  return name === 'first-layer' && rest.length > 0 ? `${name}/${inner}` : name
}

function grouped(mutants) {
  const rooms = new Map()
  for (const mutant of mutants) rooms.set(room(mutant), [...(rooms.get(room(mutant)) ?? []), mutant])
  return rooms
}

/** A mutation in a line. */
export function shown({ file, line, column, before, after }) {
  return `${file}:${line}:${column} ${before} → ${after}`
}
