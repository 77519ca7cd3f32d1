import type { TestService } from '../../helper.js'

/** How many tokens the metrics have counted: of all requests, and of those that used a model. */
export async function countedTokens(
  { app }: TestService,
  model: string,
): Promise<{ all: number; ofModel: number }> {
  const { body } = await app.inject('/metrics')
  const lines = body.split('\n')
  const value = (series: string) =>
    Number(lines.find((line) => line.startsWith(`${series} `))?.split(' ')[1] ?? 0)
  return {
    all: value('inlet_tokens_total'),
    ofModel: value(`inlet_model_tokens_total{model="${model}"}`),
  }
}
