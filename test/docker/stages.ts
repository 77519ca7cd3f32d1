import { readFileSync } from 'node:fs'
import { DockerfileParser, type ModifiableInstruction } from 'dockerfile-ast'

/** An instruction of a Dockerfile: its arguments as one text, without the flags. */
export interface Instruction {
  readonly keyword: string
  readonly text: string
  readonly flags: Readonly<Record<string, string>>
}

/** A stage of a Dockerfile and its instructions in order. */
export interface Stage {
  readonly name: string
  readonly base: string
  /** As FROM names it. */
  readonly platform?: string | undefined
  readonly instructions: readonly Instruction[]
}

/** Reads the stages of a Dockerfile. */
export function readStages(path: URL): readonly Stage[] {
  const stages: (Stage & { instructions: Instruction[] })[] = []
  for (const each of DockerfileParser.parse(readFileSync(path, 'utf8')).getInstructions()) {
    const flags = (each as ModifiableInstruction).getFlags?.() ?? []
    const text = each
      .getArguments()
      .map((argument) => argument.getValue())
      .join(' ')
    const named = Object.fromEntries(flags.map((flag) => [flag.getName(), flag.getValue() ?? '']))
    if (each.getKeyword() === 'FROM') {
      const [base, , name] = text.split(' ')
      stages.push({ base, name: name ?? String(stages.length), platform: named.platform, instructions: [] })
    } else stages.at(-1)?.instructions.push({ keyword: each.getKeyword(), text, flags: named })
  }
  return stages
}
