import { totalmem } from 'node:os'

export function usableMemory(
  constrained: number = process.constrainedMemory(),
  machine = totalmem(),
): number {
  return constrained > 0 ? Math.min(constrained, machine) : machine // 0: no limit is known
}
