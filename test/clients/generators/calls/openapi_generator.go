// Five calls by the client that openapi-generator's `go` makes. Argument: the service's URL.
package main

import (
	"context"
	"fmt"
	"os"

	inlet "inlet"
)

func must(is bool, what string, err error) {
	if !is {
		fmt.Println(what, err)
		os.Exit(1)
	}
}

func main() {
	configuration := inlet.NewConfiguration()
	configuration.Servers = inlet.ServerConfigurations{{URL: os.Args[1]}}
	client := inlet.NewAPIClient(configuration)
	ctx := context.WithValue(context.Background(), inlet.ContextAccessToken, "operator")

	models, _, err := client.ModelsAPI.ListModels(ctx).Execute()
	must(err == nil && models.Data[0].Id == "default", "models", err)
	text := "Hello, world!"
	request := inlet.InputEmbeddingsRequest{Text: &inlet.Texts{String: &text}, Outputs: []inlet.OutputName{"input_ids"}}
	answer, _, err := client.EmbeddingsAPI.CreateInputEmbeddings(ctx).InputEmbeddingsRequest(request).Execute()
	must(err == nil && answer.NumTokens == 4 && answer.Outputs.InputIds.Shape[1] == 4, "input embeddings", err)
	texts := []string{text, "Hello"}
	tokens, _, err := client.TokensAPI.Tokenize(ctx).TokenizeRequest(inlet.TokenizeRequest{Text: &inlet.Texts{ArrayOfString: &texts}}).Execute()
	must(err == nil && tokens.InputIds[4] == 15496 && tokens.Documents[1].Start == 4, "tokenize", err)
	tables, _, err := client.ModelsAPI.GetTables(ctx, "default").Execute()
	must(err == nil, "tables", err)
	file, err := tables.Stat()
	must(err == nil && file.Size() > 50257*8*4, "tables", err)
	_, _, err = client.TokensAPI.Detokenize(ctx).DetokenizeRequest(inlet.DetokenizeRequest{InputIds: []int64{50257}}).Execute()
	failure, isTyped := err.(*inlet.GenericOpenAPIError)
	must(isTyped, "the refusal", err)
	refused, isTyped := failure.Model().(inlet.ErrorAnswer)
	must(isTyped && refused.Error.Code == "token_out_of_range", "the refusal", err)
}
