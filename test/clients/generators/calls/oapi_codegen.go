// Five calls by the client that oapi-codegen makes. Argument: the service's URL.
package main

import (
	"context"
	"fmt"
	"net/http"
	"os"

	"inlet/api"
)

func must(is bool, what string, err error) {
	if !is {
		fmt.Println(what, err)
		os.Exit(1)
	}
}

func main() {
	ctx := context.Background()
	withKey := func(_ context.Context, request *http.Request) error {
		request.Header.Set("Authorization", "Bearer operator")
		return nil
	}
	client, err := api.NewClientWithResponses(os.Args[1], api.WithRequestEditorFn(withKey))
	must(err == nil, "client", err)

	models, err := client.ListModelsWithResponse(ctx)
	must(err == nil && models.JSON200.Data[0].Id == "default", "models", err)
	text := api.Texts{}
	_ = text.FromTexts0("Hello, world!")
	outputs := []api.OutputName{"input_ids"}
	answer, err := client.CreateInputEmbeddingsWithResponse(ctx, nil, api.InputEmbeddingsRequest{Text: &text, Outputs: &outputs})
	must(err == nil && answer.JSON200.NumTokens == 4 && answer.JSON200.Outputs.InputIds.Shape[1] == 4, "input embeddings", err)
	texts := api.Texts{}
	_ = texts.FromTexts1([]string{"Hello, world!", "Hello"})
	tokens, err := client.TokenizeWithResponse(ctx, api.TokenizeRequest{Text: &texts})
	must(err == nil && (*tokens.JSON200.InputIds)[4] == 15496 && (*tokens.JSON200.Documents)[1].Start == 4, "tokenize", err)
	tables, err := client.GetTablesWithResponse(ctx, "default", nil)
	must(err == nil && len(tables.Body) > 50257*8*4, "tables", err)
	refused, err := client.DetokenizeWithResponse(ctx, api.DetokenizeRequest{InputIds: []api.TokenId{50257}})
	must(err == nil && refused.JSON4XX.Error.Code == "token_out_of_range", "the refusal", err)
}
