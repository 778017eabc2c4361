<%@ page contentType="text/html; charset=UTF-8" %>
<% Member m = (Member) request.getAttribute("member");
   System.out.println("jumin=" + m.getJuminNo()); %>
<p>회원 정보</p>
