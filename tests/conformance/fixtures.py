"""What the official conformance suite calls by fixed names, added to our own server for the test only."""

from __future__ import annotations

import base64
import json
from typing import Annotated, Any

from mcp.server.mcpserver import AcceptedElicitation, Context, Elicit, ElicitationResult, MCPServer, Resolve
from mcp.server.mcpserver.exceptions import ToolError
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.shared.exceptions import MCPError
from mcp.types import (
    MISSING_REQUIRED_CLIENT_CAPABILITY,
    ElicitRequest,
    ElicitRequestFormParams,
    EmbeddedResource,
    ImageContent,
    InputRequiredResult,
    TextContent,
    TextResourceContents,
)
from pydantic import BaseModel, Field

Ctx = Context[Any, Any]
# One red pixel.
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="


def add(server: MCPServer[Any]) -> None:
    """Register everything."""
    _add_contents(server)
    _add_flow(server)
    _add_elicitation(server)
    _add_input_required(server)
    _add_resources(server)
    _add_prompts(server)


def _image() -> ImageContent:
    return ImageContent(type="image", data=PIXEL, mime_type="image/png")


def _embedded(uri: str, text: str, mime_type: str = "text/plain") -> EmbeddedResource:
    return EmbeddedResource(type="resource", resource=TextResourceContents(uri=uri, mime_type=mime_type, text=text))


def _text(text: str) -> TextContent:
    return TextContent(type="text", text=text)


def _add_contents(server: MCPServer[Any]) -> None:
    @server.tool(description="A text")
    def test_simple_text() -> str:
        return "This is a simple text response for testing."

    @server.tool(description="An image")
    def test_image_content() -> list[ImageContent]:
        return [_image()]

    @server.tool(description="An embedded resource")
    def test_embedded_resource() -> list[EmbeddedResource]:
        return [_embedded("test://embedded-resource", "This is an embedded resource content.")]

    @server.tool(description="Several kinds of content")
    def test_multiple_content_types() -> list[TextContent | ImageContent | EmbeddedResource]:
        return [
            _text("Multiple content types test:"),
            _image(),
            _embedded("test://mixed-content-resource", '{"test":"data","value":123}', "application/json"),
        ]

    @server.tool(description="A failure")
    def test_error_handling() -> str:
        raise ToolError("This tool intentionally returns an error for testing")


def _add_flow(server: MCPServer[Any]) -> None:
    @server.tool(description="Reports progress")
    async def test_tool_with_progress(ctx: Ctx) -> str:
        for done in (0, 50, 100):
            await ctx.report_progress(done, 100, f"Completed step {done} of 100")
        return "done"

    @server.tool(description="Logs nothing: protocol logging is not offered")
    async def test_logging_tool() -> str:
        return "done"

    @server.tool(description="Tells listeners that the tools have changed")
    async def test_trigger_tool_change(ctx: Ctx) -> str:
        await ctx.notify_tools_changed()
        return "done"

    @server.tool(description="Tells listeners that the prompts have changed")
    async def test_trigger_prompt_change(ctx: Ctx) -> str:
        await ctx.notify_prompts_changed()
        return "done"

    @server.tool(description="Needs a capability that most clients lack")
    async def test_missing_capability(ctx: Ctx) -> str:
        capabilities = ctx.client_capabilities
        if capabilities is None or capabilities.sampling is None:
            raise MCPError(
                MISSING_REQUIRED_CLIENT_CAPABILITY,
                "This tool needs the capability sampling",
                {"requiredCapabilities": {"sampling": {}}},
            )
        return "done"


class _Answer(BaseModel):
    response: str = Field(description="User's response")


class _Defaults(BaseModel):
    name: str = Field(default="John Doe", description="User name")
    age: int = Field(default=30, description="User age")
    score: float = Field(default=95.5, description="User score")
    status: str = Field(
        default="active", description="Status", json_schema_extra={"enum": ["active", "inactive", "pending"]}
    )
    verified: bool = Field(default=True, description="Verification status")


def _titled(*pairs: tuple[str, str]) -> list[dict[str, str]]:
    return [{"const": value, "title": title} for value, title in pairs]


class _Enums(BaseModel):
    untitledSingle: str = Field(json_schema_extra={"enum": ["option1", "option2", "option3"]})
    titledSingle: str = Field(
        json_schema_extra={"oneOf": _titled(("value1", "First Option"), ("value2", "Second Option"))}  # type: ignore[dict-item]
    )
    legacyEnum: str = Field(
        json_schema_extra={"enum": ["opt1", "opt2", "opt3"], "enumNames": ["Option One", "Option Two", "Option Three"]}
    )
    untitledMulti: list[str] = Field(
        json_schema_extra={"items": {"type": "string", "enum": ["option1", "option2", "option3"]}}
    )
    titledMulti: list[str] = Field(
        json_schema_extra={"items": {"anyOf": _titled(("value1", "First Choice"), ("value2", "Second Choice"))}}  # type: ignore[dict-item]
    )


def _outcome(answer: ElicitationResult[Any]) -> str:
    content = answer.data.model_dump_json() if isinstance(answer, AcceptedElicitation) else "{}"
    return f"Elicitation completed: action={answer.action}, content={content}"


def _add_elicitation(server: MCPServer[Any]) -> None:
    async def ask(message: str) -> Elicit[_Answer]:
        return Elicit(message, _Answer)

    async def ask_defaults() -> Elicit[_Defaults]:
        return Elicit("Please provide user information", _Defaults)

    async def ask_enums() -> Elicit[_Enums]:
        return Elicit("Please select values", _Enums)

    async def ask_streaming() -> Elicit[_Answer]:
        return Elicit("Please answer", _Answer)

    # Real annotations: the SDK reads resolvers from them, and these live inside a function.
    async def test_elicitation(message: str, answer: Any) -> str:
        return f"User response: {_outcome(answer)}"

    async def test_elicitation_sep1034_defaults(answer: Any) -> str:
        return _outcome(answer)

    async def test_elicitation_sep1330_enums(answer: Any) -> str:
        return _outcome(answer)

    async def test_streaming_elicitation(answer: Any) -> str:
        return _outcome(answer)

    for tool, model, resolver in (
        (test_elicitation, _Answer, ask),
        (test_elicitation_sep1034_defaults, _Defaults, ask_defaults),
        (test_elicitation_sep1330_enums, _Enums, ask_enums),
        (test_streaming_elicitation, _Answer, ask_streaming),
    ):
        tool.__annotations__["answer"] = Annotated[ElicitationResult[model], Resolve(resolver)]  # type: ignore[valid-type]
        tool.__annotations__["return"] = str
        if "message" in tool.__annotations__:
            tool.__annotations__["message"] = str
            ask.__annotations__["message"] = str
        server.add_tool(tool, description="Asks the user")


def _form(message: str, name: str, kind: str) -> ElicitRequest:
    schema = {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    return ElicitRequest(params=ElicitRequestFormParams(message=message, requested_schema=schema))


def _given(ctx: Ctx, key: str, name: str) -> Any:
    """What the user answered to a request, or None when it has not been asked or answered yet."""
    answer = (ctx.input_responses or {}).get(key)
    content = getattr(answer, "content", None)
    return content.get(name) if isinstance(content, dict) else None


def _required(key: str, request: ElicitRequest, state: str | None = None) -> InputRequiredResult:
    return InputRequiredResult(input_requests={key: request}, request_state=state)


def _add_input_required(server: MCPServer[Any]) -> None:
    @server.tool(description="Asks for a name", structured_output=False)
    async def test_input_required_result_elicitation(ctx: Ctx) -> str | InputRequiredResult:
        name = _given(ctx, "user_name", "name")
        if not isinstance(name, str):
            return _required("user_name", _form("What is your name?", "name", "string"))
        return f"Hello, {name}!"

    @server.tool(description="Asks with a state", structured_output=False)
    async def test_input_required_result_request_state(ctx: Ctx) -> str | InputRequiredResult:
        if _given(ctx, "confirm", "ok") is None or ctx.request_state != "asked":
            return _required("confirm", _form("Please confirm", "ok", "boolean"), "asked")
        return "state-ok"

    @server.tool(description="Asks with a sealed state", structured_output=False)
    async def test_input_required_result_tampered_state(ctx: Ctx) -> str | InputRequiredResult:
        if _given(ctx, "confirm", "ok") is None:
            return _required("confirm", _form("Please confirm", "ok", "boolean"), "sealed")
        return "state-ok"

    @server.tool(description="Asks twice", structured_output=False)
    async def test_input_required_result_multi_round(ctx: Ctx) -> str | InputRequiredResult:
        if ctx.request_state is None:
            return _required("step1", _form("Step 1: What is your name?", "name", "string"), json.dumps({"round": 1}))
        state = json.loads(ctx.request_state)
        if state["round"] == 1:
            name = _given(ctx, "step1", "name")
            color = _form("Step 2: What is your favorite color?", "color", "string")
            return _required("step2", color, json.dumps({"round": 2, "name": name}))
        return f"{state['name']} likes {_given(ctx, 'step2', 'color')}"

    @server.tool(description="Asks only for what the client can do", structured_output=False)
    async def test_input_required_result_capabilities(ctx: Ctx) -> str | InputRequiredResult:
        capabilities = ctx.client_capabilities
        if capabilities is None or capabilities.elicitation is None:
            return "This client cannot be asked: sampling and roots are not used here."
        return _required("confirm", _form("Please confirm", "ok", "boolean"))

    @server.prompt(name="test_input_required_result_prompt", description="A prompt that asks for its context")
    async def test_input_required_result_prompt(ctx: Ctx) -> list[UserMessage] | InputRequiredResult:
        context = _given(ctx, "user_context", "context")
        if context is None:
            return _required("user_context", _form("What context should the prompt use?", "context", "string"))
        return [UserMessage(f"Context: {context}")]


def _add_resources(server: MCPServer[Any]) -> None:
    @server.resource("test://static-text", mime_type="text/plain", description="A text")
    def static_text() -> str:
        return "This is the content of the static text resource."

    @server.resource("test://static-binary", mime_type="image/png", description="An image")
    def static_binary() -> bytes:
        return base64.b64decode(PIXEL)

    @server.resource("test://watched-resource", mime_type="text/plain", description="A text that may change")
    def watched() -> str:
        return "Watched resource content"

    @server.resource("test://template/{id}/data", mime_type="application/json", description="Data by id")
    def template(id: str) -> str:
        return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


def _add_prompts(server: MCPServer[Any]) -> None:
    @server.prompt(name="test_simple_prompt", description="A prompt")
    def simple() -> list[UserMessage]:
        return [UserMessage("This is a simple prompt for testing.")]

    @server.prompt(name="test_prompt_with_arguments", description="A prompt with arguments")
    def with_arguments(arg1: str, arg2: str) -> list[UserMessage]:
        return [UserMessage(f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'")]

    @server.prompt(name="test_prompt_with_embedded_resource", description="A prompt with a resource")
    def with_resource(resourceUri: str) -> list[UserMessage]:
        return [
            UserMessage(_embedded(resourceUri, "Embedded resource content for testing.")),
            UserMessage("Please process the embedded resource above."),
        ]

    @server.prompt(name="test_prompt_with_image", description="A prompt with an image")
    def with_image() -> list[UserMessage]:
        return [UserMessage(_image()), UserMessage("Please analyze the image above.")]
