package tokenizer

// llm-d-router's own client of /render against a running service: INLET_URL, and INLET_EXPECTED, a JSON file with what
// transformers and tiktoken give for the calls below.

import (
	"context"
	"encoding/json"
	"os"
	"strings"
	"testing"

	fwkrh "github.com/llm-d/llm-d-router/pkg/epp/framework/interface/requesthandling"
	"github.com/llm-d/llm-d-router/pkg/epp/framework/interface/scheduling"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

type expectedIDs struct {
	Prompt  []uint32 `json:"prompt"`
	Batch   [][]uint32 `json:"batch"`
	Chat    []uint32 `json:"chat"`
	Agentic []uint32 `json:"agentic"`
}

func liveRenderer(t *testing.T, model string) *vllmHTTPRenderer {
	t.Helper()
	url := os.Getenv("INLET_URL")
	require.NotEmpty(t, url, "INLET_URL names the service")
	r, err := newVLLMHTTPRenderer(&vllmConfig{URL: url}, model)
	require.NoError(t, err)
	return r
}

func expected(t *testing.T) (ids expectedIDs) {
	t.Helper()
	file, err := os.ReadFile(os.Getenv("INLET_EXPECTED"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(file, &ids))
	return ids
}

func TestInlet_Prompts(t *testing.T) {
	want, r := expected(t), liveRenderer(t, "render")
	ids, offsets, err := r.Render(context.Background(), fwkrh.PayloadMap{"prompt": "Hello, world!", "max_tokens": 5, "dummy_field": "kept"})
	require.NoError(t, err)
	assert.Nil(t, offsets)
	assert.Equal(t, [][]uint32{want.Prompt}, ids)
	ids, _, err = r.Render(context.Background(), fwkrh.PayloadMap{"prompt": []string{"alpha", "beta gamma"}})
	require.NoError(t, err)
	assert.Equal(t, want.Batch, ids)
}

func TestInlet_Chat(t *testing.T) {
	want := expected(t)
	req := &scheduling.InferenceRequest{Body: &fwkrh.InferenceRequestBody{
		ChatCompletions: &fwkrh.ChatCompletionsRequest{Messages: []fwkrh.Message{{Role: "user", Content: fwkrh.Content{Raw: "Hello"}}}},
		Payload: fwkrh.PayloadMap{
			"messages": []any{map[string]any{"role": "user", "content": "Hello"}},
			"model":    "caller-supplied-model",
			"stream":   true,
			"dummy":    "kept",
		},
	}}
	p := newTestPlugin(liveRenderer(t, "render"))
	require.NoError(t, p.Produce(context.Background(), req, nil))
	assert.Equal(t, want.Chat, req.Body.TokenizedRequest.Prompts[0].TokenIDs)
}

func TestInlet_MessagesOfAnAgent(t *testing.T) {
	want := expected(t)
	req := &scheduling.InferenceRequest{Body: &fwkrh.InferenceRequestBody{Messages: &fwkrh.MessagesRequest{
		System: fwkrh.AnthropicContent{Raw: "You can use tools."},
		Tools: []fwkrh.AnthropicTool{{
			Name:        "get_weather",
			Description: "Get the weather",
			InputSchema: json.RawMessage(`{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`),
		}},
		Messages: []fwkrh.AnthropicMessage{{Role: "user", Content: fwkrh.AnthropicContent{Raw: "Weather in Zurich?"}}},
	}}}
	p := newTestPlugin(liveRenderer(t, "render"))
	require.NoError(t, p.Produce(context.Background(), req, nil))
	assert.Equal(t, want.Agentic, req.Body.TokenizedRequest.Prompts[0].TokenIDs)
}

func TestInlet_ErrorsNameTheirReason(t *testing.T) {
	_, _, err := liveRenderer(t, "missing").Render(context.Background(), fwkrh.PayloadMap{"prompt": "x"})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "404")
	assert.Contains(t, err.Error(), "model_not_found")
	image := []any{map[string]any{"type": "image_url", "image_url": map[string]any{"url": "data:image/png;base64,xx"}}}
	_, _, err = liveRenderer(t, "render").RenderChat(context.Background(), fwkrh.PayloadMap{
		"messages": []any{map[string]any{"role": "user", "content": image}},
	})
	require.Error(t, err)
	assert.Contains(t, err.Error(), "422")
	assert.True(t, strings.Contains(err.Error(), "image_url"))
}
