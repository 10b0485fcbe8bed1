"""SD-JWT (RFC 9901) and SD-JWT VC: disclosures, issuing, presenting, processing."""

from credentials.sd_jwt.issue import issue
from credentials.sd_jwt.json_form import parse_json, to_json
from credentials.sd_jwt.parse import SdJwt, parse
from credentials.sd_jwt.present import KeyBindingRequest, present
from credentials.sd_jwt.process import Processed, process

__all__ = ["KeyBindingRequest", "Processed", "SdJwt", "issue", "parse", "parse_json", "present", "process", "to_json"]
