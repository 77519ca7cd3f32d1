// Five calls by the client that openapi-generator's `java` makes. Argument: the service's URL.
package inlet;

import inlet.api.*;
import inlet.auth.HttpBearerAuth;
import inlet.model.*;
import java.util.Arrays;
import java.util.List;

public final class OpenapiGenerator {
  private static void must(boolean is, String what) {
    if (!is) throw new AssertionError(what);
  }

  public static void main(String[] arguments) throws Exception {
    ApiClient client = new ApiClient();
    client.setBasePath(arguments[0]);
    for (inlet.auth.Authentication each : client.getAuthentications().values()) ((HttpBearerAuth) each).setBearerToken("operator");
    ModelsApi models = new ModelsApi(client);
    TokensApi tokens = new TokensApi(client);

    must(models.listModels().getData().get(0).getId().equals("default"), "models");
    InputEmbeddingsRequest request = new InputEmbeddingsRequest()
        .text(new Texts("Hello, world!")).addOutputsItem(OutputName.INPUT_IDS)
        // Its class of a tensor reads no arrays within arrays.
        .encodingFormat(InputEmbeddingsRequest.EncodingFormatEnum.BASE64);
    InputEmbeddingsAnswer answer = new EmbeddingsApi(client).createInputEmbeddings(request, ABSENT);
    must(answer.getNumTokens() == 4 && answer.getOutputs().getInputIds().getShape().get(1) == 4, "input embeddings");
    // Its union of a text and texts writes no list.
    List<Long> ids = tokens.tokenize(new TokenizeRequest().text(new Texts("Hello, world!"))).getInputIds();
    must(ids.equals(Arrays.asList(15496L, 11L, 995L, 0L)), "tokenize");
    must(models.getTables("default", null).length() > 50257 * 8 * 4, "tables");
    try {
      tokens.detokenize(new DetokenizeRequest().addInputIdsItem(50257L));
      throw new AssertionError("refused");
    } catch (ApiException failure) {
      ErrorAnswer refused = ErrorAnswer.fromJson(failure.getResponseBody());
      must(failure.getCode() == 422 && refused.getError().getCode() == ErrorCode.TOKEN_OUT_OF_RANGE, "the refusal");
    }
    System.exit(0); // the HTTP library keeps threads
  }
}
